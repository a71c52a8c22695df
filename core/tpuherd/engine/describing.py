"""Sentences for people about what stages gave."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tpuherd.engine.stages import Stage, decode
from tpuherd.store.records import StageState

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.outcome import CollectedResults, Environment, SyncedCode, WorkloadExit
    from tpuherd.store.records import StageRecord


def describe(stage: Stage, value: Any) -> str:
    """What a stage gave, for example `v5litepod-16 in us-west4-a, 4 workers`."""
    return DESCRIBERS[stage](value)


def went_well(stage: Stage, value: Any) -> bool:
    """False for a workload that has failed: its stage is done, and yet no success."""
    return stage is not Stage.RUN_WORKLOAD or bool(value.succeeded)


def as_it_went(row: StageRecord) -> StageRecord:
    """A stage's row as people are told of it: work that has failed is not `done`, and the row says why."""
    if row.stage != Stage.RUN_WORKLOAD.value or not row.result:
        return row
    end: WorkloadExit = decode(Stage.RUN_WORKLOAD, row.result)
    if end.succeeded:
        return row
    return replace(row, state=StageState.FAILED, error=describe_failure(end).partition("\n")[0])


def describe_failure(end: WorkloadExit) -> str:
    """What ended it, or who failed first and how; and the end of its log."""
    blamed = end.first_failure
    if blamed is None:
        return f"the workload was stopped: {end.why}" if end.why else "the workload was stopped"
    how = "went away" if blamed.code is None else f"{blamed.kind.value} with {blamed.code}"
    others = sum(worker.failed for worker in end.workers) - 1
    text = f"worker w{blamed.worker} failed first: it {how}"
    text += f"; {others} other{'s' * (others != 1)} ended after it" if others else ""
    text += f"; {end.why}" if end.why else ""
    return f"{text}\n--- the end of its log ---\n{blamed.log_tail}" if blamed.log_tail else text


def _allocation(value: Allocation) -> str:
    count, kind = len(value.slices), value.slices[0].accelerator
    names = ", ".join(piece.node_id for piece in value.slices)
    slices = f"{count} x {kind}" if count > 1 else kind
    return f"{slices} in {value.zone}, {len(value.workers)} workers ({names})"


def _environment(value: Environment) -> str:
    shown = [
        f"{name} {value.versions[name]}" for name in ("jax", "orbax-checkpoint") if name in value.versions
    ]
    packages = f"{len(value.versions)} packages, the same on all workers" if value.versions else ""
    return ", ".join(filter(None, [value.kind, *shown, packages]))


def _code(value: SyncedCode) -> str:
    if not value.directory:
        return "nothing to send"
    commit = f", commit {value.commit[:10]}{' with changes' if value.dirty else ''}" if value.commit else ""
    return f"snapshot {value.snapshot}{commit}"


def _exit(value: WorkloadExit) -> str:
    good = sum(not worker.failed for worker in value.workers)
    return f"{good} of {len(value.workers)} workers succeeded"


def _results(value: CollectedResults | None) -> str:
    return f"{len(value.files)} files in {value.directory}" if value else "nothing to collect"


DESCRIBERS: dict[Stage, Callable[[Any], str]] = {
    Stage.PROVISION: _allocation,
    Stage.EQUIP_WORKERS: lambda _: "mounts, folders, keys and scripts are as they should be",
    Stage.PREPARE_ENV: _environment,
    Stage.SYNC_CODE: _code,
    Stage.RUN_WORKLOAD: _exit,
    Stage.COLLECT: _results,
    Stage.RELEASE: lambda _: "everything given back",
}
