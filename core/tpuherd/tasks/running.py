"""Tasks that run whole jobs: run, create, resume."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd.tasks import finished_before, fleet_running, making, opening
from tpuherd.tasks.command import command
from tpuherd.tasks.restart_options import HELP as RESTART_HELP
from tpuherd.tasks.restart_options import RestartOptions

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
    help={**_help("job_file", "override", "keep", "ttl", "on_interrupt", "json"), **RESTART_HELP},
)
def run(
    _context: Context,
    job_file: str,
    override: list[str],
    keep: bool = False,
    ttl: str = "",
    on_interrupt: str = "ask",
    json: bool = False,
    test_restart: bool = False,
    kill_at: str = "",
    kill_worker: str = "",
    restored: str = "",
) -> None:
    """Run a job to its end and show its results; a job of the same file that is not done is continued.

    If what the job would make is there already, the command says so, and makes no job.
    Ctrl-C asks whether to cancel the job or to detach from it; a second Ctrl-C detaches at once.
    A file with a fleet runs all of its members and shows them in a table; the exit code is that of the worst.
    With --test-restart the workload is killed and started again, and has to go on where it was.
    """
    policy = opening.on_interrupt(on_interrupt)
    options = RestartOptions(wanted=test_restart, kill_at=kill_at, workers=kill_worker, restored=restored)
    loaded, ttl_s = making.read(job_file, override, ttl)
    if found := finished_before.find(loaded):
        options.refuse_with_finished(found)
        finished_before.tell(found, json=json)
        return
    if loaded.spec.whole_fleet is not None:
        options.refuse_with_fleet()
        members = fleet_running.make(loaded, override, ttl_s, keep=keep)
        fleet_running.follow(members, policy, json=json)
        return
    record = making.create(loaded, override, ttl_s, keep=keep, restart=options)
    _drive(record, policy, keep=keep, json=json)


@command(
    positional=["job_file"],
    iterable=["override"],
    help={
        **_help("job_file", "override", "keep", "ttl"),
        "json": "Print JSON: the job's id and the process that was started for it.",
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
    """Start a job in the background and return at once.

    The supervisor of this store drives it (`tpuherd supervise`); one is started if none runs, which ends when
    there has been nothing to do for a minute, or for TPUHERD_SUPERVISOR_IDLE_S seconds.
    """
    from tpuherd.engine.background import start_background
    from tpuherd.output.tables import print_json
    from tpuherd.store.leases import process_name

    loaded, ttl_s = making.read(job_file, override, ttl)
    if found := finished_before.find(loaded):
        finished_before.tell(found, json=json)
        return
    if loaded.spec.whole_fleet is not None:
        fleet_running.tell(fleet_running.make(loaded, override, ttl_s, keep=keep), json=json)
        return
    record = making.create(loaded, override, ttl_s, keep=keep)
    opening.going_on(record)
    opening.store().jobs.keep(record.id, keep=keep)
    pid = start_background(record)
    opening.store().leases.hand_over(record.id, process_name(pid))
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


def _drive(record: JobRecord, policy: OnInterrupt, *, keep: bool, json: bool) -> None:
    from tpuherd.engine.finishing import run_job
    from tpuherd.engine.outcomes import outcome_of
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.summary import print_summary

    reporter = Reporter(logs=sys.stderr if json else None)
    reporter.note(f"job {record.id}")
    outcome = outcome_of(record)
    if not record.state.ended:
        record = opening.going_on(record)
        controller = opening.controller(record, reporter, policy)
        outcome = controller.drive(lambda engine: run_job(controller, engine, keep=keep), goes_on=True)
    print_summary(opening.store(), record, outcome, json=json)
    if outcome.exit_code:
        raise Exit(code=outcome.exit_code)
