"""Decisions about failures in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from store_records import job_record

if TYPE_CHECKING:
    from tpuherd.store.records import RecoveryRow
    from tpuherd.store.store import Store

JOB = "bench-1a2b"


@pytest.fixture
def jobs(store: Store) -> Store:
    store.jobs.add(job_record())
    return store


def decided(store: Store, attempt: int = 1, recovery: str = "{}") -> RecoveryRow:
    return store.recoveries.decide(JOB, attempt, at=2.0, diagnosis="{}", recovery=recovery)


def begin(store: Store, number: int) -> None:
    store.attempts.begin_next(JOB, number, zone=None, resume=True, diagnosis="{}", recovery="X", kept=[])


def test_a_decision_is_pending_until_it_is_done(jobs: Store) -> None:
    assert jobs.recoveries.pending(JOB, 1) is None
    row = decided(jobs)
    assert jobs.recoveries.pending(JOB, 1) == row
    jobs.recoveries.done(row)
    assert jobs.recoveries.pending(JOB, 1) is None
    assert [one.done_at is not None for one in jobs.recoveries.all(JOB)] == [True]


def test_the_next_attempt_and_the_end_of_the_decision_are_one_step(jobs: Store) -> None:
    first, second = decided(jobs), decided(jobs, recovery='{"later": 1}')
    assert (first.number, second.number) == (1, 2)
    assert jobs.recoveries.pending(JOB, 1) == second
    begin(jobs, 2)
    assert jobs.recoveries.pending(JOB, 1) is None
    assert decided(jobs, attempt=2).number == 3
    assert jobs.recoveries.pending(JOB, 2) is not None


def test_a_step_that_cannot_be_taken_leaves_the_decision_pending(jobs: Store) -> None:
    row = decided(jobs)
    with pytest.raises(Exception, match=r"UNIQUE|IntegrityError"):
        begin(jobs, 1)  # which is there
    assert jobs.recoveries.pending(JOB, 1) == row


def test_a_job_that_is_forgotten_takes_its_decisions_along(jobs: Store) -> None:
    decided(jobs)
    jobs.jobs.remove(JOB)
    assert jobs.recoveries.all(JOB) == []
