"""How jobs end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.engine.stages import Stage
from tpuherd.exit_codes import ExitCode
from tpuherd.store.records import JobState

if TYPE_CHECKING:
    from tpuherd.engine.engine import Engine
    from tpuherd.errors import Cancelled
    from tpuherd.store.records import JobRecord

CODES = {
    Stage.PROVISION: ExitCode.CLOUD_REFUSED,
    Stage.EQUIP_WORKERS: ExitCode.PREPARE_FAILED,
    Stage.PREPARE_ENV: ExitCode.PREPARE_FAILED,
    Stage.SYNC_CODE: ExitCode.SYNC_FAILED,
    Stage.RUN_WORKLOAD: ExitCode.WORKLOAD_FAILED,
    Stage.COLLECT: ExitCode.WORKLOAD_FAILED,
}
"""The exit code of a job that was run stage by stage, by the stage that failed."""

ENDS = {ExitCode.SUCCESS: JobState.SUCCEEDED, ExitCode.CANCELLED: JobState.CANCELLED}
"""The state of a job that ended with a code; any other code means that it failed."""


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


def stopped(error: Cancelled) -> Outcome:
    """The end of a job that was stopped: by a user, or because its ttl was over."""
    state = ENDS.get(error.exit_code, JobState.FAILED)
    return Outcome(state=state, exit_code=error.exit_code, message=str(error))


def so_far(engine: Engine) -> Outcome:
    """The end of a job that was run stage by stage, by what its stages came to."""
    failed = engine.failed_stage
    if failed is None:
        return Outcome(state=JobState.SUCCEEDED, exit_code=ExitCode.SUCCESS)
    return Outcome(state=JobState.FAILED, exit_code=CODES[failed], message=f"{failed.value} failed")
