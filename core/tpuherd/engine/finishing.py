"""The end of a job, on every way out: stop, give back, record."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.agent.client import Agents
from tpuherd.engine.stages import Stage
from tpuherd.errors import Cancelled, TpuherdError, WorkloadError
from tpuherd.exit_codes import ExitCode
from tpuherd.store.records import JobState

if TYPE_CHECKING:
    from tpuherd.engine.controller import Controller
    from tpuherd.engine.engine import Engine
    from tpuherd.store.records import JobRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a job ended."""

    state: JobState
    exit_code: ExitCode
    message: str = ""


def outcome_of(record: JobRecord) -> Outcome:
    """How a job ended or, while it is live, how it is going to end."""
    code = ExitCode(record.exit_code or 0)
    state = record.state if record.state.ended else ENDS.get(code, JobState.FAILED)
    return Outcome(state=state, exit_code=code, message=record.message)


CODES = {
    Stage.PROVISION: ExitCode.CLOUD_REFUSED,
    Stage.PREPARE_ENV: ExitCode.PREPARE_FAILED,
    Stage.SYNC_CODE: ExitCode.SYNC_FAILED,
    Stage.RUN_WORKLOAD: ExitCode.WORKLOAD_FAILED,
    Stage.COLLECT: ExitCode.WORKLOAD_FAILED,
}
"""The exit code of a job that was run stage by stage, by the stage that failed."""

ENDS = {ExitCode.SUCCESS: JobState.SUCCEEDED, ExitCode.CANCELLED: JobState.CANCELLED}


def run_job(controller: Controller, engine: Engine, *, keep: bool) -> Outcome:
    """Run a job to its end, give its slices back unless told to keep them, and record how it ended."""
    controller.store.jobs.keep(controller.record.id, keep=keep)
    outcome = _concluded(controller) or _run(engine)
    _conclude(controller, outcome)
    controller.session.allow_cleanup()
    return _end(controller, _given_back(controller, engine, outcome))


def _run(engine: Engine) -> Outcome:
    """Whatever goes wrong becomes an outcome, because what the job holds has to be given back after it."""
    try:
        engine.run_to_end()
    except Cancelled as error:
        return Outcome(state=JobState.CANCELLED, exit_code=error.exit_code, message=str(error))
    except TpuherdError as error:
        text = "\n".join([str(error), *getattr(error, "__notes__", ())])
        return Outcome(state=JobState.FAILED, exit_code=error.exit_code, message=text)
    except Exception as error:  # noqa: BLE001 - see above
        text = "".join(traceback.format_exception(error)).rstrip()
        return Outcome(state=JobState.FAILED, exit_code=ExitCode.INTERNAL_ERROR, message=text)
    return Outcome(state=JobState.SUCCEEDED, exit_code=ExitCode.SUCCESS)


def _concluded(controller: Controller) -> Outcome | None:
    """What a controller had decided that went away while it gave the slices back."""
    record = controller.store.jobs.get(controller.record.id)
    return outcome_of(record) if record.concluded else None


def _conclude(controller: Controller, outcome: Outcome) -> None:
    controller.store.jobs.conclude(controller.record.id, outcome.exit_code, outcome.message)


def _end(controller: Controller, outcome: Outcome) -> Outcome:
    controller.store.jobs.end(controller.record.id, outcome.state, outcome.exit_code, outcome.message)
    controller.session.publish("job.ended", outcome.state.value)
    return outcome


def _given_back(controller: Controller, engine: Engine, outcome: Outcome) -> Outcome:
    """Stop and release, unless told to keep; what cannot be released is said, because it may cost money."""
    give_back = _keep if controller.store.jobs.get(controller.record.id).keep else _stop_and_release
    try:
        give_back(controller, engine)
    except TpuherdError as error:
        again = f"Try `tpuherd release --job {controller.record.id}`."
        hint = f"not given back, may still cost money: {error}\n{again}"
        code = outcome.exit_code or error.exit_code
        message = f"{outcome.message}\n{hint}".strip()
        return Outcome(state=JobState.FAILED, exit_code=code, message=message)
    return outcome


def _keep(controller: Controller, engine: Engine) -> None:
    stop_workload(engine)
    controller.reporter.note(f"kept; give it back with `tpuherd release --job {controller.record.id}`")


def _stop_and_release(controller: Controller, engine: Engine) -> None:
    """A worker that cannot be told to stop is given back all the same: that ends what runs on it."""
    try:
        stop_workload(engine)
    except TpuherdError as error:
        controller.reporter.problem(f"stopping the workload: {error}")
    release(controller, engine)


def stop_workload(engine: Engine) -> None:
    """Make sure that nothing of the workload runs, also what an earlier controller started.

    Raises:
        TpuherdError: some workers could not be told; they are named.
    """
    allocation = engine.workload_started_on()
    if allocation is None:
        return
    agents = Agents(engine.job.session.workers(allocation, engine.job.cloud.ssh))
    agents.install()
    stopped = agents.stop(
        engine.job.attempt_id,
        workers=[worker.index for worker in allocation.workers],
        grace_s=engine.job.spec.timeouts.grace_s,
    )
    stopped.require(WorkloadError, "stopping the workload")


def end_live_job(controller: Controller, engine: Engine) -> None:
    """End a job that was run stage by stage: give its slices back and record how its workload ended."""
    controller.session.allow_cleanup()
    outcome = _concluded(controller) or _so_far(engine)
    _conclude(controller, outcome)
    _stop_and_release(controller, engine)
    _end(controller, outcome)


def _so_far(engine: Engine) -> Outcome:
    failed = engine.failed_stage
    if failed is None:
        return Outcome(state=JobState.SUCCEEDED, exit_code=ExitCode.SUCCESS)
    return Outcome(state=JobState.FAILED, exit_code=CODES[failed], message=f"{failed.value} failed")


def release(controller: Controller, engine: Engine) -> None:
    """Give the slices back and leave the cloud; a job that is to be cancelled wants just that."""
    controller.session.allow_cleanup()
    engine.release()
    controller.leave_cloud(engine)
