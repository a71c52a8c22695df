"""What a workload plugin says, so that core can run it: a script, its variables and files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tpuherd.observing.reporting import Reports

if TYPE_CHECKING:
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job
    from tpuherd.model.outcome import Environment, SyncedCode, WorkloadExit


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One program to run on workers under their agents."""

    script: str
    """Bash text; it starts in the code's folder. The same on every worker: use `$TPUHERD_WORKER`."""
    workers: tuple[int, ...] | None = None
    """Indices of the workers that run it; `None`: all."""
    variables: dict[str, str] = field(default_factory=dict)
    """Variables for every worker."""
    files: dict[str, str] = field(default_factory=dict)
    """Name to text; they are put into `$TPUHERD_ATTEMPT_DIR` on every worker before the start."""
    multi_process: bool = False
    """True: all workers form one JAX job: `JAX_COORDINATOR_ADDRESS`, `JAX_NUM_PROCESSES` and
    `JAX_PROCESS_ID` are set."""
    reports: Reports = field(default_factory=Reports)
    """How it tells of its progress; by default it does not, and is never taken for hung."""
    output_directory: str = ""
    """Where it writes its results, as the workers see it; handed on to `collect`."""


def launch(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode, what: Launch
) -> WorkloadExit:
    """Run a program on the workers to its end: the body of most `run_workload` hooks.

    The program is started exactly once per `job.attempt_id`, its logs are streamed to the terminal and kept
    in `job.attempt_directory`, and the first worker that fails ends it on all. Called again after a crash, it
    follows what runs already.

    Args:
        job: the job.
        allocation: its workers.
        environment: the environment in which the program runs.
        code: the code; its folder is where the script starts.
        what: the program.

    Returns:
        How it ended on each worker.

    Raises:
        WorkloadError: it could not be started on some worker; it was then stopped on all.
        Cancelled: the job was cancelled; nothing of the program is left running.
    """
    from tpuherd.engine.launching import run_launch

    return run_launch(job, allocation, environment, code, what)
