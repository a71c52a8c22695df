"""Giving back what a job holds for too long, through the job itself."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.engine.controller import Controller
from tpuherd.engine.finishing import end_live_job, release
from tpuherd.engine.interrupts import OnInterrupt
from tpuherd.engine.outcomes import CODES, Outcome, stopped
from tpuherd.engine.stages import Stage
from tpuherd.engine.stopping import workload_runs
from tpuherd.engine.tenure import expired, idle_until
from tpuherd.store.records import JobState, StageState

if TYPE_CHECKING:
    from pluggy import PluginManager

    from tpuherd.engine.engine import Engine
    from tpuherd.output.reporter import Reporter
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store


def give_back(store: Store, manager: PluginManager, record: JobRecord, reporter: Reporter) -> bool:
    """Give back what a job holds, if that is still due once the job is ours.

    Args:
        store: the store.
        manager: the plugins.
        record: a job that nobody drives: it has ended and keeps nothing, its ttl is over, or it is idle.
        reporter: where progress goes.

    Returns:
        False if it is not due any more: what it holds stays.

    Raises:
        StateError: somebody drives it.
        TpuherdError: it could not be given back, or workers did not say whether something runs on them.
    """
    controller = Controller(store, manager, record, reporter, OnInterrupt.DETACH)
    return controller.drive(lambda engine: _give_back(controller, engine))


def _give_back(controller: Controller, engine: Engine) -> bool:
    controller.session.allow_cleanup()
    record = controller.store.jobs.get(controller.record.id)
    why = _why(controller.store, record, engine)
    if not why:
        return False
    controller.session.publish("job.given-back", why)
    if record.state.ended:
        release(controller, engine)
    else:
        end_live_job(controller, engine, _end(controller.store, record, why))
    return True


def _why(store: Store, record: JobRecord, engine: Engine) -> str:
    """Why it is due; empty if it is not. A workload that runs is a use of the slices, and is marked."""
    over = expired(record)
    if over is not None:
        return str(over)
    if record.state.ended and not record.keep:
        return "the job has ended"
    idle_at = idle_until(record, store.tenures.last_use(record.id))
    if idle_at is None or idle_at > time.time():
        return ""
    if workload_runs(engine):
        store.tenures.use(record.id)
        return ""
    return "nothing has used the slices for too long"


def _end(store: Store, record: JobRecord, why: str) -> Outcome | None:
    """How a live job ends: out of time, cut off in a stage, else as its stages came out (`None`)."""
    over = expired(record)
    if over is not None:
        return stopped(over)
    rows = [row for row in store.stages.all(record.id) if row.attempt == record.attempt]
    cut = next((Stage(row.stage) for row in rows if row.state is StageState.STARTED), None)
    if cut is None:
        return None
    message = f"{cut.value} was not finished, and {why}"
    return Outcome(state=JobState.FAILED, exit_code=CODES[cut], message=message)
