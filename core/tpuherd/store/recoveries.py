"""Recoveries in the store: one row when a decision is taken, updated after it was carried out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select, update

from tpuherd.store.fence import driving
from tpuherd.store.records import RecoveryRow, to_record
from tpuherd.store.tables import recoveries

if TYPE_CHECKING:
    from sqlalchemy import Engine


class RecoveryStore:
    """Reads and writes what was decided about the failures of jobs."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def decide(self, job_id: str, attempt: int, *, at: float, diagnosis: str, recovery: str) -> RecoveryRow:
        """Record a decision before anything of it is carried out.

        Args:
            job_id: the job.
            attempt: the attempt that has failed.
            at: the moment of the decision, in seconds since the epoch.
            diagnosis: what the failure means, as JSON.
            recovery: the decision, as JSON.
        """
        values = {"job_id": job_id, "attempt": attempt, "at": at, "diagnosis": diagnosis}
        last = select(func.max(recoveries.c.number)).where(recoveries.c.job_id == job_id)
        with driving(self._engine, job_id) as connection:
            number = (connection.execute(last).scalar() or 0) + 1
            connection.execute(insert(recoveries).values(**values, number=number, recovery=recovery))
        return RecoveryRow(**values, number=number, recovery=recovery, done_at=None)  # type: ignore[arg-type]

    def all(self, job_id: str) -> list[RecoveryRow]:
        """All decisions about a job, oldest first."""
        query = select(recoveries).where(recoveries.c.job_id == job_id).order_by(recoveries.c.number)
        with self._engine.connect() as connection:
            return [to_record(RecoveryRow, row) for row in connection.execute(query).all()]

    def pending(self, job_id: str, attempt: int) -> RecoveryRow | None:
        """The decision about an attempt that was taken and not carried out yet."""
        found = [row for row in self.all(job_id) if row.attempt == attempt and row.done_at is None]
        return found[-1] if found else None

    def done(self, row: RecoveryRow) -> None:
        """Record that a decision was carried out."""
        this = (recoveries.c.job_id == row.job_id) & (recoveries.c.number == row.number)
        with driving(self._engine, row.job_id) as connection:
            connection.execute(update(recoveries).where(this).values(done_at=time.time()))
