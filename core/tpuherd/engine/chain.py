"""The chain of a job's attempts: what each was, why it ended, and what was done about it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.cloud.placement import Placement
from tpuherd.engine.pausing import PAUSED_BY_USER
from tpuherd.engine.recorder import recorded
from tpuherd.engine.stages import Stage
from tpuherd.model.failure import Wait
from tpuherd.recovery.texts import diagnosis_of, recovery_of
from tpuherd.store.records import StageState

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.failure import Diagnosis, Recovery
    from tpuherd.store.records import AttemptRow, JobRecord, RecoveryRow
    from tpuherd.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One attempt."""

    number: int
    resume: bool
    """It went on from what earlier attempts had left."""
    zone: str
    """Where its slices were; empty: it got none, and was bound to no zone."""
    started_at: float
    ended_at: float | None
    """`None`: it has not ended."""
    held_s: float
    """How long it held slices, in seconds; a later attempt may have gone on with them."""
    cost_usd: float | None
    """By list prices; `None`: not known."""
    diagnosis: Diagnosis | None
    """Why it failed; `None`: it did not, or nobody asked."""
    recovery: Recovery | None
    """What was decided about that."""
    waits: int
    """How often a stage was tried again before."""
    state: str
    """How it ended: the job's state for the last one, `failed`, `paused`, or `rerun` if a user began anew."""


def chain(store: Store, record: JobRecord, spec: JobSpec) -> list[Link]:
    """All attempts of a job, oldest first; nothing but the store is asked.

    Args:
        store: the store.
        record: the job.
        spec: its job file, for prices.
    """
    rows = store.attempts.all(record.id)
    decided: dict[int, list[RecoveryRow]] = {row.number: [] for row in rows}
    for one in store.recoveries.all(record.id):
        decided[one.attempt].append(one)
    return [_link(store, record, spec, row, decided[row.number]) for row in rows]


def _link(
    store: Store, record: JobRecord, spec: JobSpec, row: AttemptRow, decided: list[RecoveryRow]
) -> Link:
    allocation: Allocation | None = recorded(store.stages, record.id, row.number, Stage.PROVISION)
    held_s = _held_s(store, record, row)
    last = decided[-1] if decided else None
    return Link(
        number=row.number,
        resume=row.resume,
        zone=allocation.zone if allocation else row.zone or "",
        started_at=row.started_at,
        ended_at=row.ended_at or record.ended_at,
        held_s=held_s,
        cost_usd=_cost(spec, allocation, held_s),
        diagnosis=_diagnosis(row, last),
        recovery=recovery_of(last.recovery) if last else None,
        waits=sum(isinstance(recovery_of(one.recovery), Wait) for one in decided[:-1]),
        state=_state(record, row),
    )


def _held_s(store: Store, record: JobRecord, row: AttemptRow) -> float:
    """From when it had them, or began on those of the attempt before, to when they were given back."""
    got = store.stages.get(record.id, row.number, Stage.PROVISION.value)
    if got is None or got.state is not StageState.DONE or got.ended_at is None:
        return 0.0
    back = store.stages.get(record.id, row.number, Stage.RELEASE.value)
    until = (back.ended_at if back else None) or row.ended_at or time.time()
    return max(0.0, until - max(got.ended_at, row.started_at))


def hourly_usd(spec: JobSpec, allocation: Allocation | None) -> float | None:
    """List price of all slices of an allocation; `None`: not known."""
    if spec.cloud == "emulator" or allocation is None:
        return 0.0
    place = Placement(zone=allocation.zone, accelerator=allocation.accelerator)
    price = None if spec.tpu.reserved else place.price_per_hour(spec.tpu.pricing)
    return None if price is None else price * len(allocation.slices)


def _cost(spec: JobSpec, allocation: Allocation | None, held_s: float) -> float | None:
    price = hourly_usd(spec, allocation)
    return None if price is None else price * held_s / 3600


def _diagnosis(row: AttemptRow, last: RecoveryRow | None) -> Diagnosis | None:
    text = last.diagnosis if last else row.diagnosis
    return diagnosis_of(text) if text else None


def _state(record: JobRecord, row: AttemptRow) -> str:
    if row.number == record.attempt:
        return record.state.value
    left = left_by_user(row)
    return "failed" if row.diagnosis and left == "rerun" else left


def left_by_user(row: AttemptRow) -> str:
    """How a user left an attempt that was followed by another one without a failure: `paused` or `rerun`."""
    return "paused" if row.recovery == PAUSED_BY_USER else "rerun"
