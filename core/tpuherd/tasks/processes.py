"""Tasks about what runs on a job's workers: ps, kill, devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from invoke.exceptions import Exit

from tpuherd.errors import ConfigError
from tpuherd.exit_codes import ExitCode
from tpuherd.tasks.command import command
from tpuherd.tasks.reached import JOB_HELP, reach
from tpuherd.tasks.worker_choice import WORKERS_HELP

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.agent.asking import Answers
    from tpuherd.tasks.reached import Reached

COMMON_HELP = {"job": JOB_HELP, "workers": WORKERS_HELP, "json": "Print JSON."}


@command(positional=["job"], help=COMMON_HELP)
def ps(_context: Context, job: str, workers: str = "all", json: bool = False) -> None:
    """Show what runs on a job's workers: processes of its attempts, and of `tpuherd exec`.

    With how long each has run, the time that it used a processor, and its memory.
    """
    from tpuherd.output.tables import ago, duration

    with reach(job, workers) as reached:
        said = _ask(reached, "ps")
    rows = _rows(said, "processes")
    columns = ("worker", "pid", "attempt", "started", "cpu", "MiB", "command")
    cells = [
        (
            f"w{row['worker']}",
            row["pid"],
            row["attempt"] or "by hand",
            ago(row["started_at"]),
            duration(row["cpu_s"]),
            row["memory_bytes"] >> 20,
            row["command"],
        )
        for row in rows
    ]
    _show(said, rows, columns, cells, json=json)


@command(positional=["job"], help=COMMON_HELP)
def devices(_context: Context, job: str, workers: str = "all", json: bool = False) -> None:
    """Show the TPU devices of a job's workers, and which process holds each of them.

    Only one process can use a chip. A process that no attempt of tpuherd started is shown as one of others.
    """
    from tpuherd.reach.devices import by_device

    with reach(job, workers) as reached:
        said = _ask(reached, "devices")
    rows = [row for worker, answer in said.by_worker.items() for row in by_device(worker, answer)]
    cells = [
        (
            f"w{r['worker']}",
            r["device"],
            r["pid"],
            r["attempt"] or ("others" if r["pid"] else ""),
            r["command"],
        )
        for r in rows
    ]
    _show(said, rows, ("worker", "device", "held by", "attempt", "command"), cells, json=json)


@command(
    positional=["job"],
    help={
        **COMMON_HELP,
        "attempt": "Another attempt than the newest.",
        "pid": "Only this process, as `tpuherd ps` shows it; name its worker with --workers.",
        "grace_s": "Seconds between asking it to stop and killing it; default: the job file's.",
    },
)
def kill(
    _context: Context,
    job: str,
    workers: str = "all",
    attempt: int = 0,
    pid: int = 0,
    grace_s: float = -1.0,
    json: bool = False,
) -> None:
    """End the workload of a job on its workers, or one process: TERM, a grace time, KILL.

    The slices stay. A controller that drives the job sees the end and goes on as the job's recovery policy
    says; `tpuherd cancel` ends the job as a whole.
    """
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json

    with reach(job, workers) as reached:
        if pid and len(reached.workers) != 1:
            raise ConfigError(f"--pid={pid} is a process of one worker: name it, for example --workers 0")
        identifier = f"{reached.record.id}.{attempt or reached.record.attempt}"
        grace = str(grace_s if grace_s >= 0 else _grace_s(reached))
        what = ("end", "--pid", str(pid)) if pid else ("stop", "--attempt", identifier)
        said = _ask(reached, *what, "--grace", grace, timeout_s=float(grace) + 30.0)
    if json:
        print_json([{"worker": worker} | answer for worker, answer in said.by_worker.items()])
    reporter = Reporter()
    name = f"process {pid}" if pid else f"attempt {identifier}"
    reporter.note(f"{name} does not run any more on {len(said.by_worker)} of {len(reached.workers)} workers")
    _require_all(said)


def _ask(reached: Reached, *words: str, timeout_s: float = 30.0) -> Answers:
    from tpuherd.agent.asking import ask

    return ask(reached.remote, reached.workers, *words, timeout_s=timeout_s)


def _grace_s(reached: Reached) -> float:
    from tpuherd.engine.opening import stored_spec
    from tpuherd.tasks.loaded import manager

    return stored_spec(manager(), reached.record).timeouts.grace_s


def _rows(said: Answers, key: str) -> list[dict[str, Any]]:
    return [{"worker": worker} | row for worker, answer in said.by_worker.items() for row in answer[key]]


def _show(
    said: Answers, rows: list[dict[str, Any]], columns: tuple[str, ...], cells: list[Any], *, json: bool
) -> None:
    from tpuherd.output.tables import print_json, print_table

    if json:
        print_json(rows)
    else:
        print_table(columns, cells)
    _require_all(said)


def _require_all(said: Answers) -> None:
    """Name the workers that did not answer; then this process has failed."""
    from tpuherd.output.fan_out import name_failed
    from tpuherd.output.reporter import Reporter

    name_failed(said.ends, Reporter())
    if said.ends.failed:
        raise Exit(code=ExitCode.WORKER_UNREACHABLE)
