"""Running a job once more on the slices that it holds, with what has changed meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tpuherd.engine.finishing import run_job
from tpuherd.engine.stages import Stage
from tpuherd.engine.stopping import stop_workload
from tpuherd.errors import ConfigError, StateError
from tpuherd.model.failure import RerunFromScratch, RestartInPlace
from tpuherd.restart_test.plan import forget_test
from tpuherd.store.wishes import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.config.load import LoadedJob
    from tpuherd.config.spec import JobSpec
    from tpuherd.engine.controller import Controller
    from tpuherd.engine.engine import Engine
    from tpuherd.engine.outcomes import Outcome
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

SLICES = frozenset({"cloud", "tpu"})
"""Sections of the job file that the slices were made from."""
WORK = frozenset({"env", "timeouts", "code", "workload", "recovery", "output", "ports"})
"""Sections that no environment is made from, besides those of the workload's and the code's plugins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """What the next attempt of a job is."""

    record: JobRecord
    """The job with the job file that the attempt is made from."""
    same_environment: bool
    """Nothing has changed that an environment could be made from."""
    resume: bool
    """The workload goes on from what earlier attempts left."""


def plan_rerun(
    record: JobRecord, before: JobSpec, loaded: LoadedJob, overrides: Sequence[str], *, resume: bool
) -> Rerun:
    """Compare a job file with the one that a job was made from.

    Args:
        record: the job.
        before: its job file as it was.
        loaded: the job file for the next attempt.
        overrides: with which it was loaded.
        resume: see `Rerun`.

    Raises:
        ConfigError: it asks for other slices.
    """
    changed = _changed(before, loaded.spec)
    other = sorted(changed & SLICES)
    if other:
        raise ConfigError(
            f"{loaded.path}: {' and '.join(other)} differ from what job {record.id} holds, and `rerun` keeps "
            "its slices: undo that, or start another job with `tpuherd run --override job.name=NAME`"
        )
    plugins = {before.workload.kind, loaded.spec.workload.kind, before.code.sync, loaded.spec.code.sync}
    fresh = replace(
        record,
        file=str(loaded.path),
        base_directory=str(loaded.base_directory),
        text=loaded.text,
        overrides=list(overrides),
        digest=loaded.digest,
    )
    return Rerun(record=fresh, same_environment=changed <= WORK | plugins, resume=resume)


def require_rerunnable(store: Store, record: JobRecord) -> None:
    """Refuse a job that has nothing to run on.

    Raises:
        StateError: it holds nothing, or is being given back.
    """
    held = store.stages.get(record.id, record.attempt, Stage.PROVISION.value)
    if held is None or held.result is None:
        raise StateError(f"job {record.id} holds no workers: `tpuherd run {record.file}` gets new ones")
    ending = not record.state.ended and (record.concluded or record.wanted in ENDINGS)
    if ending or store.stages.get(record.id, record.attempt, Stage.RELEASE.value):
        raise StateError(f"job {record.id} holds no workers, or is just giving them back")


def rerun(controller: Controller, engine: Engine, what: Rerun) -> Outcome:
    """Begin a new attempt on the slices that the job holds, run it to its end, and keep the slices.

    The stages that were done already are not done again, except that the code is sent as it is now, and that
    the environment is checked if what it is made from may have changed.
    """
    controller.session.share_connections()
    stop_workload(engine)
    forget_test(controller.store, controller.store.jobs.get(engine.job.id))
    recovery = RestartInPlace if what.resume else RerunFromScratch
    engine.next_attempt(recovery(reason="rerun"), diagnosis="")
    again = [Stage.SYNC_CODE] if what.same_environment else [Stage.SYNC_CODE, Stage.PREPARE_ENV]
    for stage in again:
        controller.store.stages.forget(engine.job.id, engine.job.attempt.number, stage.value)
    controller.store.jobs.reopen(what.record)
    return run_job(controller, engine, keep=True)


def _changed(before: JobSpec, after: JobSpec) -> set[str]:
    """The sections that differ."""
    return {name for name in type(after).model_fields if _section(before, name) != _section(after, name)}


def _section(spec: JobSpec, name: str) -> object:
    """As plain values: a plugin's section is of another class for each time that a file is read."""
    return spec.model_dump(mode="json", include={name}, exclude_none=True)
