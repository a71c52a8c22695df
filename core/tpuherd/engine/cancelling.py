"""Cancelling a job, whoever drives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.engine.another import by_another_or
from tpuherd.engine.finishing import run_job
from tpuherd.engine.outcomes import outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.engine.controller import Controller
    from tpuherd.engine.outcomes import Outcome
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store


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
    done = by_another_or(
        store,
        record.id,
        lambda now: now.state.ended,
        lambda: ours.drive(lambda engine: run_job(ours, engine, keep=record.keep)),
        ours.hooks.spec.timeouts.grace_s,
    )
    return done or outcome_of(store.jobs.get(record.id))
