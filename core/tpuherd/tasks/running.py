"""Tasks that run whole jobs: run, create, resume, cancel."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.engine.interrupts import OnInterrupt
    from tpuherd.store.records import JobRecord

HELP = {
    "job_file": "The job file.",
    "override": "A key of the job file with another value, for example tpu.zone=us-east1-d; may be repeated.",
    "keep": "Keep the slices when the job has ended; `tpuherd release` gives them back.",
    "ttl": "How long the job may hold slices, for example 90s, 30m, 2h, 7d; then it is stopped, and they are "
    "given back.",
    "on_interrupt": "What Ctrl-C means: ask, cancel, or detach.",
    "json": "Print the outcome as JSON; logs and progress then go to standard error.",
    "job": "A job: its id, the start of its id, or its name.",
}


def _help(*names: str) -> dict[str, str]:
    return {name: HELP[name] for name in names}


@command(
    positional=["job_file"],
    iterable=["override"],
    help=_help("job_file", "override", "keep", "ttl", "on_interrupt", "json"),
)
def run(
    _context: Context,
    job_file: str,
    override: list[str],
    keep: bool = False,
    ttl: str = "",
    on_interrupt: str = "ask",
    json: bool = False,
) -> None:
    """Run a job to its end and show its results; a job of the same file that is not done is continued.

    Ctrl-C asks whether to cancel the job or to detach from it; a second Ctrl-C detaches at once.
    """
    policy = opening.on_interrupt(on_interrupt)
    _drive(_create(job_file, override, ttl, keep=keep), policy, keep=keep, json=json)


@command(
    positional=["job_file"],
    iterable=["override"],
    help={
        **_help("job_file", "override", "keep", "ttl"),
        "json": "Print JSON: the job's id and the process that drives it.",
    },
)
def create(
    _context: Context,
    job_file: str,
    override: list[str],
    keep: bool = False,
    ttl: str = "",
    json: bool = False,
) -> None:
    """Start a job in the background and return at once."""
    from tpuherd.engine.background import start_background
    from tpuherd.output.tables import print_json

    record = _create(job_file, override, ttl, keep=keep)
    opening.require_undriven(record)
    opening.store().jobs.keep(record.id, keep=keep)
    pid = start_background(record)
    if json:
        print_json({"job": record.id, "controller_pid": pid})
        return
    sys.stdout.write(f"{record.id}\n")
    sys.stderr.write(f"started; follow with `tpuherd logs {record.id} --follow`\n")


@command(positional=["job"], help=_help("job", "on_interrupt", "json"))
def resume(
    _context: Context,
    job: str,
    on_interrupt: str = "ask",
    json: bool = False,
) -> None:
    """Go on with a job whose controller has gone: nothing that happened already happens again."""
    record = opening.find_job(job)
    _drive(record, opening.on_interrupt(on_interrupt), keep=record.keep, json=json)


@command(positional=["job"], help=_help("job", "json"))
def cancel(_context: Context, job: str, json: bool = False) -> None:
    """Stop a job's workload, give its slices back, and end it; waits until that is done."""
    from tpuherd.engine.cancelling import cancel_job
    from tpuherd.engine.interrupts import OnInterrupt
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json
    from tpuherd.store.records import JobState

    record = opening.find_job(job)
    reporter = Reporter()
    control = partial(opening.controller, record, reporter, OnInterrupt.DETACH)
    outcome = cancel_job(opening.store(), record, control)
    reporter.note(f"job {record.id} is {outcome.state.value}")
    if json:
        print_json({"job": record.id, "state": outcome.state.value, "message": outcome.message})
    if outcome.state is JobState.FAILED and not record.state.ended:
        reporter.problem(outcome.message)
        raise Exit(code=outcome.exit_code)


def _create(job_file: str, overrides: list[str], ttl: str, *, keep: bool) -> JobRecord:
    from tpuherd.durations import parse_duration
    from tpuherd.engine.creating import find_or_create
    from tpuherd.engine.opening import check_plan
    from tpuherd.tasks.plugins import manager

    ttl_s = parse_duration(ttl, "--ttl") if ttl else None
    loaded = opening.read(Path(job_file), overrides)
    check_plan(manager(), loaded)
    for note in loaded.notes:
        sys.stderr.write(f"{note}\n")
    return find_or_create(opening.store(), loaded, overrides, keep=keep, ttl_s=ttl_s)


def _drive(record: JobRecord, policy: OnInterrupt, *, keep: bool, json: bool) -> None:
    from tpuherd.engine.finishing import run_job
    from tpuherd.engine.outcomes import outcome_of
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.summary import print_summary

    reporter = Reporter(logs=sys.stderr if json else None)
    reporter.note(f"job {record.id}")
    outcome = outcome_of(record)
    if not record.state.ended:
        controller = opening.controller(record, reporter, policy)
        outcome = controller.drive(lambda engine: run_job(controller, engine, keep=keep), goes_on=True)
    print_summary(opening.store(), record, outcome, json=json)
    if outcome.exit_code:
        raise Exit(code=outcome.exit_code)
