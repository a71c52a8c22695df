"""Tasks that say something about a job through the store: pause, ack."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tpuherd.errors import StateError
from tpuherd.tasks import opening
from tpuherd.tasks.command import command
from tpuherd.tasks.reached import JOB_HELP

if TYPE_CHECKING:
    from invoke.context import Context


@command(
    positional=["job"],
    help={
        "job": JOB_HELP,
        "release": "Give the slices back, too; `resume` gets new ones.",
        "json": "Print the outcome as JSON; progress then goes to standard error.",
    },
)
def pause(_context: Context, job: str, release: bool = False, json: bool = False) -> None:
    """Stop a job's workload with its grace time, and keep its slices; `tpuherd resume` goes on.

    Whoever drives the job does it, or this command if nobody does; it waits until that is done. What was only
    asked for is withdrawn. The workload of the attempt that goes on is told to resume (TPUHERD_RESUME=1).
    """
    from tpuherd.engine.interrupts import OnInterrupt
    from tpuherd.engine.pausing import pause as pause_it
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json

    record = opening.find_job(job)
    if record.state.ended:
        raise StateError(f"job {record.id}: {record.state.value}, there is nothing to pause")
    reporter = Reporter()
    control = partial(opening.controller, record, reporter, OnInterrupt.DETACH)
    outcome = pause_it(opening.store(), record, control, release=release)
    reporter.note(f"job {record.id} is {outcome.state.value}; `tpuherd resume {record.id}` goes on with it")
    if json:
        print_json({"job": record.id, "state": outcome.state.value})


@command(
    positional=["job"],
    help={
        "job": JOB_HELP,
        "m": "What you want to say about it; `tpuherd status` shows it.",
        "json": "Print JSON.",
    },
)
def ack(_context: Context, job: str, m: str = "", json: bool = False) -> None:
    """Say that you have seen how a job failed, or its problem: it needs attention no longer."""
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json

    record = opening.find_job(job)
    if not record.attention:
        why = "it was acknowledged already" if record.acknowledged_at else "it needs no attention"
        raise StateError(f"job {record.id} is {record.state.value}: {why}")
    opening.store().wishes.acknowledge(record.id, m)
    Reporter().note(f"job {record.id} is acknowledged")
    if json:
        print_json({"job": record.id, "acknowledged": True})


TASKS = (pause, ack)
