"""Stages in the store: one row before a stage happens, updated after it did."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from tpuherd.store.fence import driving
from tpuherd.store.records import StageRecord, StageState, to_record
from tpuherd.store.tables import stages

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Engine


class StageStore:
    """Reads and writes the stages of attempts."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def get(self, job_id: str, attempt: int, stage: str) -> StageRecord | None:
        """The row of one stage, if it was ever started."""
        with self._engine.connect() as connection:
            row = connection.execute(select(stages).where(_key(job_id, attempt, stage))).one_or_none()
        return None if row is None else to_record(StageRecord, row)

    def all(self, job_id: str) -> list[StageRecord]:
        """All stages of a job by attempt, and then in the order in which they started."""
        order = (stages.c.attempt, stages.c.started_at)
        query = select(stages).where(stages.c.job_id == job_id).order_by(*order)
        with self._engine.connect() as connection:
            return [to_record(StageRecord, row) for row in connection.execute(query).all()]

    def start(self, job_id: str, attempt: int, stage: str) -> None:
        """Record that a stage is about to happen; a row of an interrupted try is replaced."""
        values = {"job_id": job_id, "attempt": attempt, "stage": stage}
        with driving(self._engine, job_id) as connection:
            connection.execute(delete(stages).where(_key(job_id, attempt, stage)))
            connection.execute(
                insert(stages).values(**values, state=StageState.STARTED.value, started_at=time.time())
            )

    def forget(self, job_id: str, attempt: int, stage: str) -> None:
        """Record that what a stage did no longer holds."""
        with driving(self._engine, job_id) as connection:
            connection.execute(delete(stages).where(_key(job_id, attempt, stage)))

    def finish(self, job_id: str, attempt: int, stage: str, result: str) -> None:
        """Record that a stage has happened, with its value as JSON."""
        self._end(job_id, attempt, stage, state=StageState.DONE.value, result=result)

    def fail(self, job_id: str, attempt: int, stage: str, error: str) -> None:
        """Record that a stage has failed."""
        self._end(job_id, attempt, stage, state=StageState.FAILED.value, error=error)

    def _end(self, job_id: str, attempt: int, stage: str, **values: object) -> None:
        with driving(self._engine, job_id) as connection:
            connection.execute(
                update(stages).where(_key(job_id, attempt, stage)).values(ended_at=time.time(), **values)
            )


def _key(job_id: str, attempt: int, stage: str) -> ColumnElement[bool]:
    return (stages.c.job_id == job_id) & (stages.c.attempt == attempt) & (stages.c.stage == stage)
