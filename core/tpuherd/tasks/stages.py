"""One task per stage: alone, as a chain, and again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tpuherd.engine.stages import Stage
from tpuherd.errors import StateError
from tpuherd.tasks import opening
from tpuherd.tasks.command import command

if TYPE_CHECKING:
    from collections.abc import Callable

    from invoke.context import Context

    from tpuherd.engine.engine import Engine
    from tpuherd.model.outcome import CollectedResults
    from tpuherd.store.records import JobRecord

HELP = {
    "job": "The job file; default: $TPUHERD_JOB, else tpuherd.yaml in this folder.",
    "override": "A key of the job file with another value, for example tpu.zone=us-east1-d; may be repeated.",
    "json": "Print what the stage gave as JSON.",
}


@command(iterable=["override"], help=HELP)
def provision(_context: Context, override: list[str], job: str = "", json: bool = False) -> None:
    """Get the job's slices and wait until all workers answer; if it has them, do nothing."""
    _stage(Stage.PROVISION, job, override, lambda engine: engine.provision(), json=json)


@command(iterable=["override"], help=HELP)
def prepare_env(_context: Context, override: list[str], job: str = "", json: bool = False) -> None:
    """Make the environment on every worker; stages before it happen first if they have not."""
    _stage(Stage.PREPARE_ENV, job, override, lambda engine: engine.prepare_env(), json=json)


@command(iterable=["override"], help=HELP)
def sync_code(_context: Context, override: list[str], job: str = "", json: bool = False) -> None:
    """Send the code to every worker; stages before it happen first if they have not."""
    _stage(Stage.SYNC_CODE, job, override, lambda engine: engine.sync_code(), json=json)


@command(iterable=["override"], help=HELP)
def run_workload(_context: Context, override: list[str], job: str = "", json: bool = False) -> None:
    """Run the workload and collect its results; after a failure, a new attempt on the same slices."""
    _stage(Stage.COLLECT, job, override, _run_again_if_failed, json=json)


@command(
    iterable=["override"],
    help={**HELP, "job": "A job file, or a job's id or name; default as for the other stages."},
)
def release(_context: Context, override: list[str], job: str = "", json: bool = False) -> None:
    """Give the job's slices back and end it; if it holds nothing, do nothing."""
    from tpuherd.output.reporter import Reporter
    from tpuherd.output.tables import print_json
    from tpuherd.tasks.ending import end_job

    record = _holder(job, override)
    reporter = Reporter()
    if record is None:
        reporter.note("there is no such job: nothing to give back")
    else:
        end_job(record, reporter)
    if json:
        print_json({"job": record.id if record else None, "holds": ""})


def _run_again_if_failed(engine: Engine) -> CollectedResults | None:
    from tpuherd.model.failure import RestartInPlace

    if engine.workload_failed:
        engine.next_attempt(RestartInPlace(reason="run-workload was called again"), engine.last_diagnosis())
        # whoever calls again has edited something; a policy that restarts by itself keeps what ran
        again = (engine.job.id, engine.job.attempt.number, Stage.SYNC_CODE.value)
        opening.store().stages.forget(*again)
    return engine.collect()


def _stage(
    stage: Stage, job: str, override: list[str], work: Callable[[Engine], object], *, json: bool
) -> None:
    from tpuherd.engine.background import watch
    from tpuherd.engine.creating import find_or_create
    from tpuherd.engine.finishing import run_stage
    from tpuherd.engine.interrupts import OnInterrupt
    from tpuherd.engine.opening import check_plan
    from tpuherd.output.reporter import Reporter
    from tpuherd.store.wishes import WAIT
    from tpuherd.tasks.loaded import manager

    overrides = opening.overrides(override)
    loaded = opening.read(opening.job_file(job), overrides)
    check_plan(manager(), loaded)
    record = find_or_create(opening.store(), loaded, overrides, keep=True, wanted=WAIT)
    if record.concluded:
        raise StateError(f"job {record.id} is being given back: `tpuherd release --job {record.id}` ends it")
    reporter = Reporter(logs=sys.stderr if json else None)
    reporter.note(f"job {record.id}")
    control = opening.controller(opening.by_hand(record), reporter, OnInterrupt.CANCEL)
    value = control.drive(lambda engine: run_stage(control, engine, work))
    watch(record)
    _show(stage, value, json=json)


def _show(stage: Stage, value: object, *, json: bool) -> None:
    from tpuherd.engine.stages import encode
    from tpuherd.model.outcome import CollectedResults

    if json:
        sys.stdout.write(encode(stage, value) + "\n")
    elif isinstance(value, CollectedResults):
        sys.stdout.write(f"\n{value.summary}\n\nresults: {value.directory}\n")


def _holder(word: str, override: list[str]) -> JobRecord | None:
    """The job meant by an id or name, else the newest of a job file; `None` if that file never had one."""
    import getpass
    from pathlib import Path

    store = opening.store()
    if word and not Path(word).exists():
        return store.jobs.find(word)
    loaded = opening.read(opening.job_file(word), opening.overrides(override))
    return store.jobs.newest(loaded.spec.job.name, getpass.getuser())
