"""What a controller writes that has lost its job without knowing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete, update
from store_records import job_record

from tpuherd.engine.leaving import Left
from tpuherd.store.records import JobState
from tpuherd.store.tables import leases

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.store.store import Store

JOB = "bench-1a2b"

WRITES: dict[str, Callable[[Store], object]] = {
    "start": lambda store: store.stages.start(JOB, 1, "collect"),
    "finish": lambda store: store.stages.finish(JOB, 1, "provision", result="{}"),
    "fail": lambda store: store.stages.fail(JOB, 1, "provision", error="no"),
    "forget": lambda store: store.stages.forget(JOB, 1, "provision"),
    "decide": lambda store: store.recoveries.decide(JOB, 1, at=1.0, diagnosis="{}", recovery="{}"),
    "next attempt": lambda store: store.attempts.begin_next(
        JOB, 2, zone=None, resume=True, diagnosis="{}", recovery="Wait", kept=()
    ),
    "conclude": lambda store: store.jobs.conclude(JOB, 1, "failed"),
    "end": lambda store: store.jobs.end(JOB, JobState.FAILED, 1, "failed"),
}


@pytest.fixture
def driven(store: Store) -> Store:
    """A store with a job whose lease is ours, in its first stage."""
    store.jobs.add(job_record(JOB))
    assert store.leases.take(JOB) is None
    store.stages.start(JOB, 1, "provision")
    return store


def everything(store: Store) -> object:
    return store.jobs.get(JOB), store.attempts.all(JOB), store.stages.all(JOB), store.recoveries.all(JOB)


def usurp(store: Store) -> None:
    with store.engine.begin() as connection:
        connection.execute(update(leases).values(holder="elsewhere:1:1"))


def usurp_and_leave(store: Store) -> None:
    with store.engine.begin() as connection:
        connection.execute(delete(leases))


@pytest.mark.parametrize("taken", [usurp, usurp_and_leave])
@pytest.mark.parametrize("write", WRITES)
def test_it_is_refused_as_a_whole(driven: Store, taken: Callable[[Store], None], write: str) -> None:
    taken(driven)
    before = everything(driven)
    assert not driven.leases.is_ours(JOB)
    with pytest.raises(Left):
        WRITES[write](driven)
    assert everything(driven) == before


@pytest.mark.parametrize("write", WRITES)
def test_whoever_holds_the_lease_may_write_also_if_it_is_over(driven: Store, write: str) -> None:
    with driven.engine.begin() as connection:
        connection.execute(update(leases).values(expires_at=0.0))
    assert driven.leases.is_ours(JOB)
    before = everything(driven)
    WRITES[write](driven)
    assert everything(driven) != before


def test_a_job_that_nobody_drives_may_be_written(driven: Store) -> None:
    driven.leases.give_back(JOB)
    WRITES["end"](driven)
    assert driven.jobs.get(JOB).state is JobState.FAILED
