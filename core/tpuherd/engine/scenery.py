"""The scene of a failure: what the store and the observation say about where and when."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd.engine.stages import Stage
from tpuherd.model.failure import Presence, Scene
from tpuherd.model.outcome import EndedBy
from tpuherd.model.sighting import Answer
from tpuherd.store.records import StageState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.failure import Diagnosis, Observation, SliceObservation
    from tpuherd.model.job import Job
    from tpuherd.store.records import StageRecord
    from tpuherd.store.store import Store

GONE = frozenset({"PREEMPTED", "TERMINATED", "STOPPED", "STOPPING", "DELETING", "HIDING", "HIDDEN"})
"""States of a node that do not become READY by themselves."""


def in_scene(
    store: Store, job: Job, observation: Observation, diagnosis: Diagnosis, allocation: Allocation | None
) -> Diagnosis:
    """A diagnosis with its scene, and with the checkpoint that was seen."""
    now = time.time()
    rows = {Stage(row.stage): row for row in store.stages.all(job.id) if row.attempt == job.attempt.number}
    scene = Scene(
        at=now,
        stage=observation.stage,
        zone=allocation.zone if allocation else job.attempt.zone or job.spec.tpu.zone,
        host=_host(diagnosis, allocation),
        held_s=_since(rows.get(Stage.PROVISION), now),
        ran_s=_ran_s(rows.get(Stage.RUN_WORKLOAD), now),
        usable=_usable(observation),
    )
    step = diagnosis.checkpoint_step
    return replace(
        diagnosis, scene=scene, checkpoint_step=observation.checkpoint_step if step is None else step
    )


def _host(diagnosis: Diagnosis, allocation: Allocation | None) -> str:
    workers = allocation.workers if allocation else ()
    blamed = (worker for worker in workers if worker.index == diagnosis.blamed_worker)
    return next((worker.host_key_name for worker in blamed), "")


def _since(row: StageRecord | None, now: float) -> float | None:
    """Since a stage was done, in seconds; it may have been done for an earlier attempt."""
    return now - row.ended_at if row and row.ended_at and row.state is StageState.DONE else None


def _ran_s(row: StageRecord | None, now: float) -> float | None:
    return None if row is None else (row.ended_at or now) - row.started_at


def _usable(observation: Observation) -> bool | None:
    if observation.preemption_notices or any(_is_gone(piece) for piece in observation.slices):
        return False
    if _all_known(observation.slices) and _somebody_is_silent(observation):
        return False
    return True if observation.slices and _all_ready(observation.slices) else None


def _is_gone(piece: SliceObservation) -> bool:
    return piece.presence is Presence.ABSENT or piece.state in GONE


def _somebody_is_silent(observation: Observation) -> bool:
    """True if a worker was lost, or does not answer."""
    end = observation.exit
    lost = end is not None and end.ended_by is EndedBy.SILENCE
    return lost or any(host.answered is Answer.NO for host in observation.hosts)


def _all_known(slices: Sequence[SliceObservation]) -> bool:
    """False if the API is silent, too: a worker may then be as well as ever, and it is we who are cut off."""
    return bool(slices) and not any(piece.presence is Presence.UNKNOWN for piece in slices)


def _all_ready(slices: Sequence[SliceObservation]) -> bool:
    return all(piece.presence is Presence.PRESENT and piece.state == "READY" for piece in slices)
