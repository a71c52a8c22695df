"""Tasks that reach a job's workers: exec, ssh."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd import paths
from tpuherd.errors import ConfigError, StateError
from tpuherd.exit_codes import ExitCode
from tpuherd.tasks import opening
from tpuherd.tasks.command import command, words_after_dashes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from invoke.context import Context

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.cloud import Cloud
    from tpuherd.store.records import JobRecord


@command(
    name="exec",
    positional=["job"],
    help={
        "job": "A job: its id, the start of its id, or its name.",
        "workers": "all, or numbers separated by commas.",
        "timeout_s": "Longest run of the command, in seconds.",
        "json": "Print JSON: one object per worker with exit code and output.",
        "command": "The command as one text, instead of words after --.",
    },
)
def exec_task(
    _context: Context,
    job: str,
    workers: str = "all",
    timeout_s: float = 600.0,
    json: bool = False,
    command: str = "",
) -> None:
    """Run a command on a job's workers, in its environment and code folder: `tpuherd exec JOB -- nvidia-smi`.

    The exit code is the worst of the workers'.
    """
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json
    from tpuherd.remote import RemoteWorkers

    words = words_after_dashes()
    script = command or shlex.join(words)
    if not script:
        raise ConfigError("which command? `tpuherd exec JOB -- WORDS` or `--command TEXT`")
    record = opening.find_job(job)
    allocation, cloud = _held(record)
    reporter = Reporter()
    with RemoteWorkers(allocation.workers, cloud.ssh, paths.known_hosts(record.id)) as remote:
        done = remote.run(
            _in_environment(record, script),
            workers=_indices(workers, allocation),
            timeout_s=timeout_s,
            on_line=None if json else lambda worker, line: reporter.worker_line(worker.name, line.text),
        )
    if json:
        print_json([_as_row(result) for result in done.results])
    if done.failed:
        reporter.problem(done.summary().splitlines()[0])
        raise Exit(code=max(result.code or ExitCode.WORKER_UNREACHABLE for result in done.failed))


@command(positional=["job"], help={"job": "A job, with :N for another worker than 0, for example bench:3."})
def ssh(_context: Context, job: str) -> None:
    """Open a shell on one worker of a job."""
    from tpuherd.remote import interactive_argv

    word, _, number = job.partition(":")
    record = opening.find_job(word)
    allocation, cloud = _held(record)
    (index,) = _indices(number or "0", allocation) or (0,)
    argv = interactive_argv(allocation.workers[index], cloud.ssh, paths.known_hosts(record.id))
    sys.stdout.flush()
    os.execvp(argv[0], argv)  # noqa: S606 - argv list, no shell


def _held(record: JobRecord) -> tuple[Allocation, Cloud]:
    """What a job holds, and the cloud that it is in.

    Raises:
        StateError: it holds nothing.
    """
    from tpuherd.engine.engine import holds_nothing
    from tpuherd.engine.opening import open_hooks
    from tpuherd.engine.recorder import recorded
    from tpuherd.engine.stages import Stage
    from tpuherd.tasks.plugins import manager

    store = opening.store()
    allocation = recorded(store.stages, record.id, record.attempt, Stage.PROVISION)
    if allocation is None or holds_nothing(store, record.id, record.attempt):
        raise StateError(f"job {record.id} holds no workers")
    cloud = open_hooks(manager(), record).connect_cloud(job_id=record.id)
    return allocation, cloud


def _in_environment(record: JobRecord, script: str) -> str:
    """A command line that runs a script as the workload would, as far as environment and code are there."""
    from tpuherd.engine.recorder import recorded
    from tpuherd.engine.stages import Stage
    from tpuherd.model.outcome import Environment, SyncedCode
    from tpuherd.remote.environment import command_in

    stages = opening.store().stages
    environment = recorded(stages, record.id, record.attempt, Stage.PREPARE_ENV)
    code = recorded(stages, record.id, record.attempt, Stage.SYNC_CODE)
    return command_in(
        environment or Environment(kind="host", key=""),
        code or SyncedCode(kind="none", snapshot="", directory=""),
        script,
    )


def _indices(words: str, allocation: Allocation) -> Sequence[int] | None:
    if words == "all":
        return None
    count = len(allocation.workers)
    try:
        chosen = [int(word.strip().lstrip("w")) for word in words.split(",")]
    except ValueError:
        raise ConfigError(f"{words!r}: expected all, or numbers from 0 to {count - 1}") from None
    beyond = [index for index in chosen if not 0 <= index < count]
    if beyond:
        raise ConfigError(f"there is no worker {beyond[0]}: the job has 0 to {count - 1}")
    return chosen


def _as_row(result: object) -> dict[str, object]:
    row = asdict(result)  # type: ignore[call-overload]
    return {**row, "worker": row["worker"]["index"], "outcome": row["outcome"].value}
