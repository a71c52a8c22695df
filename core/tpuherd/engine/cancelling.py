"""Cancelling a job, whoever drives it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.engine.finishing import run_job
from tpuherd.engine.outcomes import outcome_of
from tpuherd.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.engine.controller import Controller
    from tpuherd.engine.outcomes import Outcome
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

PATIENCE_S = 60.0
"""How much longer than the grace time a live controller may take to cancel."""


def cancel_job(store: Store, record: JobRecord, controller: Callable[[], Controller]) -> Outcome:
    """Have a job cancelled by its controller, or by us if it has none.

    Args:
        store: the store.
        record: the job.
        controller: makes a controller in this process, if there is no other.

    Raises:
        StateError: another controller drives it and did not end it in time.
    """
    if record.state.ended:
        return outcome_of(record)
    store.jobs.want(record.id, "cancel")
    ours = controller()
    if _ended_by_another(store, record, ours.hooks.spec.timeouts.grace_s + PATIENCE_S):
        return outcome_of(store.jobs.get(record.id))
    return ours.drive(lambda engine: run_job(ours, engine, keep=record.keep))


def _ended_by_another(store: Store, record: JobRecord, timeout_s: float) -> bool:
    """Wait while another controller ends the job; false once there is none that could."""
    deadline = time.monotonic() + timeout_s
    while store.leases.driver(record.id):
        if time.monotonic() > deadline:
            raise StateError(
                f"the controller of {record.id} has not ended it after {timeout_s:.0f} s; it may be stuck: "
                "end that process, then cancel again"
            )
        time.sleep(0.1)
    return store.jobs.get(record.id).state.ended
