"""Having something done to a job by whoever drives it, or by this process if nobody does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.engine.outcomes import Outcome
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

PATIENCE_S = 60.0
"""How much longer than the grace time a live controller may take."""


def by_another_or(
    store: Store, job_id: str, done: Callable[[JobRecord], bool], work: Callable[[], Outcome], grace_s: float
) -> Outcome | None:
    """Wait while another controller does what the store asks for; do it here once there is none that could.

    Args:
        store: the store.
        job_id: the job.
        done: says by its row that it was done.
        work: does it here; somebody may be quicker and drive the job, then it is waited for again.
        grace_s: how long the workload of the job may take to end.

    Returns:
        What `work` returned; `None` if another controller did it.

    Raises:
        StateError: another controller drives it and did not do it in time.
    """
    while not _done_by_another(store, job_id, done, grace_s + PATIENCE_S):
        try:
            return work()
        except StateError:
            if not store.leases.driver(job_id) and not done(store.jobs.get(job_id)):
                raise
    return None


def _done_by_another(store: Store, job_id: str, done: Callable[[JobRecord], bool], timeout_s: float) -> bool:
    """Wait while another controller drives the job; true if it was done then."""
    deadline = time.monotonic() + timeout_s
    while store.leases.driver(job_id):
        if time.monotonic() > deadline:
            raise StateError(
                f"the controller of {job_id} has not done it after {timeout_s:.0f} s; it may be stuck: "
                "end that process, then try again"
            )
        time.sleep(0.1)
    return done(store.jobs.get(job_id))
