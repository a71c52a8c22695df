"""The task that shows logs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.tasks import opening
from tpuherd.tasks.command import command
from tpuherd.tasks.reached import JOB_HELP
from tpuherd.tasks.worker_choice import chosen

if TYPE_CHECKING:
    from invoke.context import Context

MOST_WORKERS = 1 << 20
"""What a choice of workers is checked against: how many there were is not known from logs."""


@command(
    positional=["job"],
    auto_shortflags=True,
    help={
        "job": JOB_HELP,
        "worker": "Only the logs of these workers: 0, 0,3, 1-5, or a mixture.",
        "attempt": "Another attempt than the newest.",
        "follow": "Go on until the job has ended.",
        "since": "Only lines that came later: for the last 90s, 30m, 2h, or since 2026-12-01T08:00:00Z.",
        "grep": "Only lines in which this regular expression is found.",
        "merge": "In the order in which the lines came, instead of worker by worker.",
        "times": "Show when each line came.",
        "json": "Print one JSON object per line: worker, text, and at, in Unix seconds.",
    },
)
def logs(
    _context: Context,
    job: str,
    worker: str = "all",
    attempt: int = 0,
    follow: bool = False,
    since: str = "",
    grep: str = "",
    merge: bool = False,
    times: bool = False,
    json: bool = False,
) -> None:
    """Show the workers' logs of a job as they were kept here; they outlive the slices.

    Times are those of this machine, when it got the lines: workers' clocks need not agree.
    """
    from tpuherd.output import log_lines
    from tpuherd.output.log_files import show_logs
    from tpuherd.output.reporter import Reporter

    view = log_lines.LogView(
        workers=None if worker == "all" else frozenset(chosen(worker, MOST_WORKERS)),
        since=log_lines.since_of(since),
        pattern=log_lines.pattern_of(grep),
        merged=merge,
    )
    record, store = opening.find_job(job), opening.store()
    directory = Path(record.directory) / f"attempt-{attempt or record.attempt}"
    plain = log_lines.show_timed if times else log_lines.show_plain
    show = partial(log_lines.show_json if json else plain, Reporter())
    ended = (lambda: store.jobs.get(record.id).state.ended) if follow else None
    show_logs(directory, view, show, ended)
