"""Pausing a job: its workload is stopped, and another attempt goes on from there when it is resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.engine.another import by_another_or
from tpuherd.engine.background import watch
from tpuherd.engine.finishing import release
from tpuherd.engine.outcomes import Outcome
from tpuherd.engine.restarting import KEPT
from tpuherd.engine.stopping import stop_workload
from tpuherd.engine.tenure import limits
from tpuherd.errors import Paused, StateError, TpuherdError
from tpuherd.exit_codes import ExitCode
from tpuherd.model.failure import RestartInPlace
from tpuherd.store.records import JobState
from tpuherd.store.wishes import PAUSE, PAUSE_AND_RELEASE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.engine.controller import Controller
    from tpuherd.engine.engine import Engine
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

PAUSED_BY_USER = "Pause"
"""In the row of an attempt: what was done about it, beside the names of recoveries."""


def pause(store: Store, record: JobRecord, controller: Callable[[], Controller], *, release: bool) -> Outcome:
    """Have a job paused by whoever drives it, or by us if nobody does.

    Args:
        store: the store.
        record: a job that has not ended.
        controller: makes a controller in this process, if there is no other.
        release: give its slices back, too.

    Raises:
        StateError: it has ended meanwhile, or its controller did not pause it in time.
    """
    store.wishes.pause(record.id, PAUSE_AND_RELEASE if release else PAUSE)
    ours = controller()
    why = Paused("the job was paused", release=release)
    done = by_another_or(
        store,
        record.id,
        lambda now: now.state is not record.state,
        lambda: ours.drive(lambda engine: pause_job(ours, engine, why)),
        ours.hooks.spec.timeouts.grace_s,
    )
    ended = store.jobs.get(record.id).state
    if done is None and ended is not JobState.PAUSED:
        raise StateError(f"job {record.id} has {ended.value} meanwhile")
    return done or _outcome()


def pause_job(controller: Controller, engine: Engine, why: Paused) -> Outcome:
    """Stop the workload, keep the slices if there are any and they are wanted, and record the pause.

    What was only asked for is withdrawn: slices that come while nobody is there would cost money for nothing.

    Raises:
        TpuherdError: slices could not be given back; the job is not paused yet.
    """
    controller.session.allow_cleanup()
    kept = engine.holds_slices and _stopped(controller, engine) and not why.release
    if not kept:
        release(controller, engine)
    if engine.workload_began or (engine.allocation is not None and not kept):
        _next_attempt(controller, engine, kept=kept)
    controller.store.wishes.paused(controller.record.id)
    record = controller.store.jobs.get(controller.record.id)
    text = f"slices are kept{limits(record)}" if kept else "it holds nothing"
    controller.session.publish("job.paused", text)
    if kept:
        watch(record)
    return _outcome()


def _stopped(controller: Controller, engine: Engine) -> bool:
    """Stop the workload; where that is not possible the slices have to go: nothing could run beside it."""
    try:
        stop_workload(engine)
    except TpuherdError as error:
        controller.reporter.problem(f"stopping the workload: {error}; its slices are given back instead")
        return False
    return True


def _next_attempt(controller: Controller, engine: Engine, *, kept: bool) -> None:
    """Begin the attempt that goes on; one whose workload never began leaves nothing to go on from."""
    now = engine.job.attempt
    controller.store.attempts.begin_next(
        engine.job.id,
        now.number + 1,
        zone=now.zone,
        resume=now.resume or engine.workload_began,
        diagnosis="",
        recovery=PAUSED_BY_USER,
        kept=[stage.value for stage in KEPT[RestartInPlace]] if kept else [],
    )


def _outcome() -> Outcome:
    return Outcome(state=JobState.PAUSED, exit_code=ExitCode.PAUSED, message="`tpuherd resume` goes on")
