"""What users want of jobs, and who supervises a store."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text, update
from store_records import job_record

from tpuherd.store import database
from tpuherd.store.leases import LEASE_S, this_process
from tpuherd.store.records import JobState
from tpuherd.store.store import Store
from tpuherd.store.supervisors import SupervisorStatus
from tpuherd.store.tables import leases, supervisors

if TYPE_CHECKING:
    from pathlib import Path

JOB = "bench-1a2b"
ME = SupervisorStatus(pid=1, host="here", since=1.0, on_demand=False, likeness="x", api_calls={"get_node": 2})


@pytest.fixture
def one(store: Store) -> Store:
    store.jobs.add(job_record(JOB))
    return store


def test_live_jobs_come_with_their_leases_in_one_look(one: Store) -> None:
    one.jobs.add(replace(job_record("bench-3c4d"), state=JobState.SUCCEEDED))
    one.jobs.add(replace(job_record("other-1a2b"), owner="eve"))
    one.jobs.add(replace(job_record("bench-5e6f"), created_at=2.0), driver="elsewhere:1:1")
    found = one.wishes.live("ada")
    assert [(job.id, job.holder) for job in found] == [(JOB, None), ("bench-5e6f", "elsewhere:1:1")]
    assert found[1].leased_until == pytest.approx(time.time() + LEASE_S, abs=10)


@pytest.mark.parametrize(
    ("before", "wanted"), [("run", "run"), ("wait", "run"), ("pause", "run"), ("cancel", "cancel")]
)
def test_going_on_never_undoes_a_cancellation(one: Store, before: str, wanted: str) -> None:
    one.jobs.want(JOB, before)
    one.wishes.go_on(JOB)
    assert one.jobs.get(JOB).wanted == wanted


def test_a_pause_and_its_end(one: Store) -> None:
    one.wishes.pause(JOB, "pause")
    one.wishes.paused(JOB)
    paused = one.jobs.get(JOB)
    assert (paused.state, paused.state.ended, paused.wanted) == (JobState.PAUSED, False, "pause")
    one.wishes.by_hand(JOB)
    assert (one.jobs.get(JOB).state, one.jobs.get(JOB).wanted) == (JobState.LIVE, "wait")


def test_what_has_ended_is_not_paused(one: Store) -> None:
    one.jobs.end(JOB, JobState.FAILED, 8, "w0 failed")
    one.wishes.pause(JOB, "pause")
    one.wishes.paused(JOB)
    one.wishes.go_on(JOB)
    assert (one.jobs.get(JOB).state, one.jobs.get(JOB).wanted) == (JobState.FAILED, "run")


def test_attention_until_it_is_acknowledged_and_again_after_another_problem(one: Store) -> None:
    assert one.jobs.get(JOB).attention == ""
    one.wishes.trouble(JOB, "no secret")
    one.wishes.acknowledge(JOB, "I know")
    one.wishes.trouble(JOB, "no secret")
    assert (one.jobs.get(JOB).attention, one.jobs.get(JOB).acknowledgement) == ("", "I know")
    one.wishes.trouble(JOB, "no plugin")
    assert one.jobs.get(JOB).attention == "no plugin"
    one.jobs.end(JOB, JobState.FAILED, 8, "")
    assert one.jobs.get(JOB).attention == "failed"
    one.wishes.acknowledge(JOB, "")
    one.jobs.reopen(one.jobs.get(JOB))
    assert (one.jobs.get(JOB).attention, one.jobs.get(JOB).acknowledged_at) == ("", None)


def test_all_leases_of_a_process_at_once(one: Store) -> None:
    one.jobs.add(replace(job_record("bench-3c4d")), driver="elsewhere:1:1")
    assert one.leases.take(JOB) is None
    with one.engine.begin() as connection:
        connection.execute(update(leases).values(expires_at=time.time() + 1))
    one.leases.renew_all()
    until = {job.id: job.leased_until or 0.0 for job in one.wishes.live("ada")}
    assert until[JOB] > time.time() + 5 > until["bench-3c4d"]
    one.leases.give_back_all()
    assert {job.id: job.holder for job in one.wishes.live("ada")} == {
        JOB: None,
        "bench-3c4d": "elsewhere:1:1",
    }


def test_a_lease_is_handed_to_who_asks_for_it(one: Store) -> None:
    one.leases.take(JOB)
    one.leases.ask_for(JOB)
    assert one.wishes.live("ada")[0].asked_by == this_process()
    one.leases.hand_over(JOB, "elsewhere:1:1")
    assert (one.leases.holder(JOB), one.wishes.live("ada")[0].asked_by) == ("elsewhere:1:1", None)
    one.leases.hand_over(JOB, "elsewhere:2:2")
    assert one.leases.holder(JOB) == "elsewhere:1:1"


def test_there_is_one_supervisor_of_a_name(store: Store) -> None:
    assert store.supervisors.get("ada@here") is None
    assert store.supervisors.register("ada@here", ME)
    assert store.supervisors.get("ada@here") == ME
    assert store.supervisors.renew("ada@here", replace(ME, driven=3))
    store.supervisors.leave("ada@here")
    assert not store.supervisors.renew("ada@here", ME)
    for holder, gone in ((f"{socket.gethostname()}:1:12", True), ("elsewhere:1:1", False)):
        store.supervisors.register("ada@here", ME)
        with store.engine.begin() as connection:
            connection.execute(update(supervisors).values(holder=holder))
        assert (store.supervisors.get("ada@here") is None) == gone
        assert store.supervisors.register("ada@here", ME) == gone


def test_live_jobs_of_the_third_schema_that_keep_their_slices_wait_for_their_user(
    url: str, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    engine, config = create_engine(url), Config()
    config.set_main_option("script_location", f"{database.__file__.removesuffix('database.py')}migrations")
    row = "('{}', 'bench', 'ada', '/f', '/', '', '[]', '0', '/d', {}, 'live', 'run', 1, 5.0, NULL, NULL, ''"
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0003")
        for job, keep in (("kept-1a2b", 1), ("whole-1a2b", 0)):
            connection.execute(
                text(f"INSERT INTO jobs VALUES {row.format(job, keep)}, NULL, NULL, NULL, NULL)")
            )
        connection.commit()
    engine.dispose()
    opened = Store(url)
    assert {job.id: job.wanted for job in opened.jobs.all()} == {"kept-1a2b": "wait", "whole-1a2b": "run"}
    opened.engine.dispose()
