"""The task that looks for known ailments of workers."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd.exit_codes import ExitCode
from tpuherd.tasks.command import command
from tpuherd.tasks.reached import JOB_HELP, command_of, reach
from tpuherd.tasks.worker_choice import WORKERS_HELP

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.solving.finding import Finding
    from tpuherd.solving.visit import Subject
    from tpuherd.store.records import JobRecord


@command(
    positional=["job"],
    help={
        "job": JOB_HELP,
        "workers": WORKERS_HELP,
        "dry_run": "Only look; change nothing.",
        "json": "Print JSON: one object per check and worker.",
    },
)
def solve(
    _context: Context, job: str, workers: str = "all", dry_run: bool = False, json: bool = False
) -> None:
    """Look for known ailments of a job's workers, and repair what is safe to repair.

    Looked at: mounts that do not answer, the lock of apt, processes that an ended attempt left, agents that
    died, a lock file of libtpu that nobody uses, devices that others hold, disk space, clocks, the code's
    folder, and versions that differ between workers. Repaired are leftovers of ended attempts, and the unused
    lock file. For the rest it says what people can do. The exit code is 9 if something is left.
    """
    from tpuherd.output.tables import print_json, print_table
    from tpuherd.solving.finding import Verdict
    from tpuherd.solving.visit import solve as examine

    with reach(job, workers) as reached:
        subject = _subject(reached.record)
        found = examine(reached.remote, reached.workers, subject, repair=not dry_run)
    if json:
        print_json([_row(one) for one in found])
    else:
        shown = [(one.check, f"w{one.worker}", one.verdict.value, one.text) for one in found if one.text]
        fine = sorted({one.check for one in found} - {check for check, *_ in shown})
        rows = [*shown, *((check, "all", Verdict.OK.value, "") for check in fine)]
        print_table(("check", "worker", "", ""), rows)
    if any(one.verdict in {Verdict.PROBLEM, Verdict.REPAIRABLE} for one in found):
        raise Exit(code=ExitCode.WORKER_UNREACHABLE)


def _subject(record: JobRecord) -> Subject:
    from tpuherd.engine.recorder import recorded
    from tpuherd.engine.stages import Stage
    from tpuherd.solving.visit import PACKAGES, Subject
    from tpuherd.tasks import opening

    code = recorded(opening.store().stages, record.id, record.attempt, Stage.SYNC_CODE)
    return Subject(
        packages_command=command_of(record, f'cd "$HOME" && {PACKAGES}'),
        code_directory=code.directory if code else "",
    )


def _row(one: Finding) -> dict[str, object]:
    return asdict(one) | {"verdict": one.verdict.value, "repair": list(one.repair)}
