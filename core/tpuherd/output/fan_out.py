"""What came of a command on many workers: as JSON, and as this process's exit code."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tpuherd.exit_codes import ExitCode

if TYPE_CHECKING:
    from tpuherd.output.reporter import Reporter
    from tpuherd.remote import FanOut, RemoteResult


def as_row(result: RemoteResult) -> dict[str, Any]:
    """The end of a command on one worker, for JSON."""
    return {**asdict(result), "worker": result.worker.index, "outcome": result.outcome.value}


def worst_code(done: FanOut) -> int:
    """The highest exit code of all workers; a worker without one counts as `ExitCode.WORKER_UNREACHABLE`."""
    return max((result.code or ExitCode.WORKER_UNREACHABLE for result in done.failed), default=0)


def name_failed(done: FanOut, reporter: Reporter) -> None:
    """Say who failed and how, if somebody did."""
    if done.failed:
        reporter.problem(done.summary())
