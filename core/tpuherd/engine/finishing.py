"""The end of a job, on every way out: stop, give back, record."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, TypeVar

from tpuherd.engine.background import watch
from tpuherd.engine.giving_back import give_back, patience_at_the_end_s
from tpuherd.engine.local_trouble import raise_if_local
from tpuherd.engine.outcomes import Outcome, outcome_of, so_far, stopped
from tpuherd.engine.stopping import stop_workload
from tpuherd.engine.tenure import limits
from tpuherd.errors import Cancelled, Expired, LocalError, Paused, TpuherdError
from tpuherd.exit_codes import ExitCode
from tpuherd.holder.dropping import close_connections
from tpuherd.restart_test.plan import planned
from tpuherd.store.records import JobState

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.engine.controller import Controller
    from tpuherd.engine.engine import Engine

T = TypeVar("T")


def run_job(controller: Controller, engine: Engine, *, keep: bool) -> Outcome:
    """Run a job to its end, give its slices back unless told to keep them, and record how it ended."""
    controller.store.jobs.keep(controller.record.id, keep=keep)
    try:
        outcome = _concluded(controller) or _run(controller, engine)
    except Paused as error:
        from tpuherd.engine.pausing import pause_job

        return pause_job(controller, engine, error)
    _conclude(controller, outcome)
    controller.session.allow_cleanup()
    return _end(controller, _given_back(controller, engine, outcome))


def _run(controller: Controller, engine: Engine) -> Outcome:
    """Whatever goes wrong becomes an outcome, because what the job holds has to be given back after it."""
    try:
        _run_to_end(controller, engine)
    except (LocalError, Paused):
        raise
    except Cancelled as error:
        return stopped(error)
    except TpuherdError as error:
        text = "\n".join([str(error), *getattr(error, "__notes__", ())])
        return Outcome(state=JobState.FAILED, exit_code=error.exit_code, message=text)
    except Exception as error:  # noqa: BLE001 - see above
        raise_if_local(error)
        text = "".join(traceback.format_exception(error)).rstrip()
        return Outcome(state=JobState.FAILED, exit_code=ExitCode.INTERNAL_ERROR, message=text)
    return Outcome(state=JobState.SUCCEEDED, exit_code=ExitCode.SUCCESS)


def _run_to_end(controller: Controller, engine: Engine) -> None:
    """As an ordinary job, or as the restart test that it was started as."""
    test = planned(controller.store, controller.record.id)
    if test is None:
        engine.run_to_end()
        return
    from tpuherd.restart_test.course import run_restart_test

    run_restart_test(engine, controller.store, test)


def _concluded(controller: Controller) -> Outcome | None:
    """What a controller had decided that went away while it gave the slices back."""
    record = controller.store.jobs.get(controller.record.id)
    return outcome_of(record) if record.concluded else None


def _conclude(controller: Controller, outcome: Outcome) -> None:
    record = controller.record
    controller.store.jobs.conclude(record.id, outcome.exit_code, outcome.message)
    if record.fleet is not None and outcome.state is JobState.SUCCEEDED:
        controller.store.wishes.finish_others(record.fleet, record.id)


def _end(controller: Controller, outcome: Outcome) -> Outcome:
    controller.store.jobs.end(controller.record.id, outcome.state, outcome.exit_code, outcome.message)
    controller.session.publish("job.ended", outcome.state.value)
    return outcome


def _given_back(controller: Controller, engine: Engine, outcome: Outcome) -> Outcome:
    """Stop and release, unless told to keep; what cannot be released is said, because it may cost money."""
    kept = controller.store.jobs.get(controller.record.id).keep
    give_back = _keep if kept and outcome.exit_code is not ExitCode.TTL_OVER else _stop_and_release
    try:
        give_back(controller, engine)
    except LocalError:
        raise
    except TpuherdError as error:
        again = f"Try `tpuherd release --job {controller.record.id}`."
        hint = f"not given back, may still cost money: {error}\n{again}"
        code = outcome.exit_code or error.exit_code
        message = f"{outcome.message}\n{hint}".strip()
        return Outcome(state=JobState.FAILED, exit_code=code, message=message)
    return outcome


def _keep(controller: Controller, engine: Engine) -> None:
    stop_workload(engine)
    record = controller.store.jobs.get(controller.record.id)
    controller.reporter.note(f"kept{limits(record)}; give it back with `tpuherd release --job {record.id}`")
    watch(record)


def _stop_and_release(controller: Controller, engine: Engine) -> None:
    """A worker that cannot be told to stop is given back all the same: that ends what runs on it."""
    try:
        stop_workload(engine)
    except LocalError:
        raise
    except TpuherdError as error:
        controller.reporter.problem(f"stopping the workload: {error}")
    controller.session.allow_cleanup()
    give_back(engine, patience_at_the_end_s(engine))
    release(controller, engine)


def end_live_job(controller: Controller, engine: Engine, why: Outcome | None = None) -> None:
    """End a job that was run stage by stage: give its slices back and record how its workload ended.

    Args:
        controller: of the job.
        engine: of the job.
        why: how it ends; default: as its stages did so far.
    """
    controller.session.allow_cleanup()
    outcome = _concluded(controller) or why or so_far(engine)
    _conclude(controller, outcome)
    _stop_and_release(controller, engine)
    _end(controller, outcome)


def run_stage(controller: Controller, engine: Engine, work: Callable[[Engine], T]) -> T:
    """Do one stage's work; if the job's ttl is over meanwhile, the job ends and gives back what it holds.

    Raises:
        Expired: it is over.
    """
    controller.store.tenures.use(controller.record.id)
    try:
        return work(engine)
    except Expired as error:
        end_live_job(controller, engine, stopped(error))
        raise


def release(controller: Controller, engine: Engine) -> None:
    """Give the slices back and leave the cloud; a job that is to be cancelled wants just that."""
    controller.session.allow_cleanup()
    engine.release()
    close_connections(controller.record.id)
    controller.leave_cloud(engine)
