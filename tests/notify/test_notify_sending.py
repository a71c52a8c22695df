"""Messages on their way to a real web server; whatever it does, the job goes on."""

from __future__ import annotations

import pytest

from tpuherd.hooks import Hooks
from tpuherd_apprise.notifying import sender


@pytest.fixture
def happen(tpuherd_plugins, job_factory, tmp_path, monkeypatch, mailbox):
    """Have events told with a `notify` section."""
    monkeypatch.setenv("MAILBOX", mailbox.url)

    def tell(*events, **section):
        spec = job_factory.spec({"notify": {"urls": [{"env": "MAILBOX"}], **section}})
        for event in events:
            Hooks(tpuherd_plugins, spec).on_event(event, tmp_path)

    return tell


def test_wanted_events_arrive_in_order(happen, mailbox, event):
    told = [event("diagnosis", "hung: no step"), event("stage.started", "x"), event("job.ended", "failed")]
    happen(*told)
    assert sender().finish(60)
    assert mailbox.titles == [f"{event('').job_id}: diagnosis hung", f"{event('').job_id}: job.ended failed"]
    assert [message["type"] for message in mailbox.messages] == ["warning", "failure"]
    assert "no step\nattempt 2, " in mailbox.messages[0]["message"]


def test_no_more_than_the_limit_but_the_end(happen, mailbox, event):
    many = [event("recovery", f"Wait: {number}") for number in range(9)]
    happen(*many, event("job.ended", "failed"), most_per_hour=3)
    assert sender().finish(60)
    assert [title.rpartition(" ")[2] for title in mailbox.titles] == ["Wait"] * 3 + ["failed"]
    assert "6 more messages were left out" in mailbox.messages[-1]["message"]


def test_a_job_does_not_wait_for_a_place_that_does_not_answer(happen, mailbox, event, caplog):
    mailbox.open.clear()
    happen(event("recovery", "Wait: 1"), event("recovery", "Wait: 2"))
    assert mailbox.messages == []
    assert not sender().finish(0.05)
    assert "messages were not sent: no answer" in caplog.text
    mailbox.open.set()
    assert sender().finish(60)


def test_a_place_that_refuses_is_told_once_and_without_its_address(happen, mailbox, event, caplog):
    mailbox.status = 500
    happen(event("recovery", "Wait: 1"), event("recovery", "Wait: 2"))
    assert sender().finish(60)
    assert caplog.text.count("notify.urls[0]: the message was not taken") == 1
    mailbox.status = 200
    happen(event("recovery", "Wait: 3"))
    assert sender().finish(60)
    assert len(mailbox.messages) == 1
    assert "secret-token" not in caplog.text


def test_an_address_that_is_gone_meanwhile_hurts_nobody(happen, mailbox, event, monkeypatch, caplog):
    monkeypatch.delenv("MAILBOX")
    happen(event("recovery", "Wait: 1"))
    assert sender().finish(60)
    assert "notify.urls[0]: variable MAILBOX is not set here" in caplog.text


def test_two_places_and_one_of_them_is_down(happen, mailbox, event, tmp_path, caplog):
    (tmp_path / "down").write_text("json://127.0.0.1:9/secret-token?cto=1&rto=1")
    happen(event("recovery", "Wait: 1"), urls=[{"file": "down"}, {"env": "MAILBOX"}])
    assert sender().finish(60)
    assert len(mailbox.messages) == 1
    assert "notify.urls[0]: the message was not taken" in caplog.text
    assert "secret-token" not in caplog.text
