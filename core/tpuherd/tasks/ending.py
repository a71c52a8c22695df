"""Ending jobs and forgetting them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.errors import StateError
from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from invoke.context import Context

    from tpuherd.output.reporter import Reporter
    from tpuherd.store.records import JobRecord


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


@command(
    positional=["job"],
    help={
        "job": "A job: its id, the start of its id, or its name.",
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

    record, reporter = opening.find_job(job), Reporter()
    if not record.state.ended and not force:
        raise StateError(f"job {record.id} is live: `tpuherd cancel {record.id}` first, or add --force")
    if not record.state.ended:
        cancel_job(opening.store(), record, lambda: opening.controller(record, reporter, OnInterrupt.DETACH))
        record = opening.find_job(record.id)
    end_job(record, reporter)
    opening.store().jobs.remove(record.id)
    shutil.rmtree(Path(record.directory), ignore_errors=True)
    reporter.note(f"job {record.id} is forgotten")
    if json:
        print_json({"job": record.id, "deleted": True})
