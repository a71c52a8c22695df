"""Which jobs a supervisor drives, how a session is left, and what is set aside."""

from __future__ import annotations

import os
import socket
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tpuherd.engine.leaving import Left
from tpuherd.engine.session import Session
from tpuherd.errors import Cancelled
from tpuherd.output.reporter import Reporter
from tpuherd.store.leases import this_process
from tpuherd.store.wishes import LiveJob
from tpuherd.supervising import aside
from tpuherd.supervising.choosing import to_drive
from tpuherd.supervising.likeness import idle_s, likeness
from tpuherd.supervising.unit import unit

if TYPE_CHECKING:
    from pathlib import Path

HERE = socket.gethostname()
JOB = LiveJob(
    id="job-1a2b", state="live", wanted="run", directory="/", expires_at=None, ttl_s=None, problem=None,
    holder=None, leased_until=None, asked_by=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "is_driven"),
    [
        ({}, True),
        ({"wanted": "wait"}, False),
        ({"wanted": "cancel"}, True),
        ({"wanted": "pause-release"}, True),
        ({"wanted": "pause", "state": "paused"}, False),
        ({"wanted": "cancel", "state": "paused"}, True),
        ({"directory": "/no/such/folder"}, False),
        ({"holder": "elsewhere:1:1", "leased_until": 1e12}, False),
        ({"holder": "elsewhere:1:1", "leased_until": 1.0}, True),
        ({"holder": f"{HERE}:{os.getppid()}:12", "leased_until": 1e12}, True),
        ({"holder": this_process(), "leased_until": 1e12}, True),
    ],
)
def test_what_is_driven(changes: dict[str, object], *, is_driven: bool) -> None:
    assert to_drive(replace(JOB, **changes)) == is_driven  # type: ignore[arg-type]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(Reporter(), tmp_path / "known_hosts", lambda kind, text: None)


def test_who_has_left_does_nothing_more_whatever_it_was_told_before(session: Session) -> None:
    branch = session.branch()
    session.cancel(Cancelled("before"))
    session.leave()
    session.allow_cleanup()
    for one in (session, branch):
        with pytest.raises(Left):
            one.checkpoint()


def test_leaving_wakes_who_sleeps(session: Session) -> None:
    left: list[bool] = []

    def sleep() -> None:
        with pytest.raises(Left):
            session.sleep(300)
        left.append(True)

    sleeper = threading.Thread(target=sleep)
    sleeper.start()
    session.leave()
    sleeper.join(60)
    assert left == [True]


def test_what_was_set_aside_is_tried_again_ever_later_and_at_once_after_another_wish(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(aside, "FIRST_S", 0.05)
    jobs = aside.Aside()
    jobs.put("job", "run")
    assert jobs.has("job", "run")
    assert not jobs.has("job", "cancel")
    time.sleep(0.06)
    assert not jobs.has("job", "run")
    jobs.put("job", "run")
    time.sleep(0.06)
    assert jobs.has("job", "run")
    jobs.keep(set())
    assert len(jobs) == 0


def test_the_likeness_depends_on_what_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    before = likeness()
    monkeypatch.setenv("UNRELATED", "1")
    assert likeness() == before
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/other.json")
    assert likeness() != before


def test_the_idle_time_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TPUHERD_SUPERVISOR_IDLE_S", "2.5")
    assert idle_s() == 2.5
    monkeypatch.setenv("TPUHERD_SUPERVISOR_IDLE_S", "soon")
    with pytest.raises(Exception, match="TPUHERD_SUPERVISOR_IDLE_S=soon"):
        idle_s()


def test_a_unit_names_places_and_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TPUHERD_HOME", '/a 100%/"b"')
    monkeypatch.setenv("WANDB_API_KEY", "hush")
    assert 'Environment="TPUHERD_HOME=/a 100%%/\\"b\\""' in unit()
    assert "hush" not in unit()
