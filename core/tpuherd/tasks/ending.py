"""Ending jobs and forgetting them: cancel, delete."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from tpuherd.errors import StateError
from tpuherd.tasks import fleet_ending, fleet_running, opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.output.reporter import Reporter
    from tpuherd.store.records import JobRecord

JOB_OR_FLEET = "A job: its id, the start of its id, or its name; or a fleet: its id or name."


def end_job(record: JobRecord, reporter: Reporter) -> None:
    """Give back what a job holds; a live job has then ended, with the outcome of its workload."""
    from tpuherd.engine.finishing import end_live_job, release
    from tpuherd.engine.interrupts import OnInterrupt

    controller = opening.controller(record, reporter, OnInterrupt.DETACH)
    if record.state.ended and controller.already_released():
        reporter.note(f"job {record.id} holds nothing")
        return
    work = release if record.state.ended else end_live_job
    controller.drive(lambda engine: work(controller, engine))


def forget(record: JobRecord, reporter: Reporter) -> None:
    """Remove a job that has ended from the store, with its folder; what it holds is given back first."""
    end_job(record, reporter)
    opening.store().jobs.remove(record.id)
    shutil.rmtree(Path(record.directory), ignore_errors=True)
    reporter.note(f"job {record.id} is forgotten")


@command(
    positional=["job"],
    help={
        "job": JOB_OR_FLEET,
        "json": "Print the outcome as JSON; logs and progress then go to standard error.",
    },
)
def cancel(_context: Context, job: str, json: bool = False) -> None:
    """Stop a job's workload, give its slices back, and end it; waits until that is done."""
    from tpuherd.engine.cancelling import cancel_job
    from tpuherd.engine.interrupts import OnInterrupt
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json
    from tpuherd.store.records import JobState

    if members := fleet_running.members_of_one([job]):
        fleet_ending.cancel(members, json=json)
        return
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


@command(
    positional=["job"],
    help={
        "job": JOB_OR_FLEET,
        "force": "Cancel the job first if it is live.",
        "json": "Print JSON.",
    },
)
def delete(_context: Context, job: str, force: bool = False, json: bool = False) -> None:
    """Forget a job that has ended, its logs and results included; what it holds is given back first."""
    from tpuherd.engine.cancelling import cancel_job
    from tpuherd.engine.interrupts import OnInterrupt
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json

    if members := fleet_running.members_of_one([job]):
        fleet_ending.delete(members, force=force, json=json)
        return
    record, reporter = opening.find_job(job), Reporter()
    if not record.state.ended and not force:
        raise StateError(f"job {record.id} is live: `tpuherd cancel {record.id}` first, or add --force")
    if not record.state.ended:
        cancel_job(opening.store(), record, lambda: opening.controller(record, reporter, OnInterrupt.DETACH))
        record = opening.find_job(record.id)
    forget(record, reporter)
    if json:
        print_json({"job": record.id, "deleted": True})
