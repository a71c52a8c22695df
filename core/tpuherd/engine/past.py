"""The failures of a job so far, as policies see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.model.failure import AttemptRecord, GiveUp
from tpuherd.recovery.texts import diagnosis_of, recovery_of

if TYPE_CHECKING:
    from tpuherd.store.records import RecoveryRow
    from tpuherd.store.store import Store


def past(store: Store, job_id: str) -> list[AttemptRecord]:
    """The failures that something was done about, oldest first, since a user began anew with `rerun`."""
    attempts = store.attempts.all(job_id)
    reruns = [row.number for row in attempts if row.recovery and not row.diagnosis]
    begun = {row.number: row.started_at for row in attempts}
    rows = [row for row in store.recoveries.all(job_id) if row.done_at is not None]
    records = [_record(row, begun[row.attempt]) for row in rows if row.attempt > max(reruns, default=0)]
    return [record for record in records if record.recovery != GiveUp.__name__]  # a user went on all the same


def _record(row: RecoveryRow, started_at: float) -> AttemptRecord:
    return AttemptRecord(
        number=row.attempt,
        diagnosis=diagnosis_of(row.diagnosis),
        recovery=type(recovery_of(row.recovery)).__name__,
        started_at=started_at,
        ended_at=row.at,
    )
