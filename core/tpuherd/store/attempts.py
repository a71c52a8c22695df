"""Attempts of jobs in the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, literal, select, update

from tpuherd.store.fence import driving
from tpuherd.store.records import AttemptRow, StageState, to_record
from tpuherd.store.tables import attempts, jobs, recoveries, stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Engine, Select


class AttemptStore:
    """Reads attempts, and ends one by beginning the next."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def all(self, job_id: str) -> list[AttemptRow]:
        """All attempts of a job, oldest first."""
        query = select(attempts).where(attempts.c.job_id == job_id).order_by(attempts.c.number)
        with self._engine.connect() as connection:
            return [to_record(AttemptRow, row) for row in connection.execute(query).all()]

    def begin_next(
        self,
        job_id: str,
        number: int,
        *,
        zone: str | None,
        resume: bool,
        diagnosis: str,
        recovery: str,
        kept: Sequence[str],
    ) -> None:
        """End the newest attempt with its diagnosis and recovery, and begin attempt `number`, in one step.

        Args:
            job_id: the job.
            number: of the new attempt.
            zone: where it happens, if not where the job file says.
            resume: whether its workload goes on from what earlier attempts left.
            diagnosis: of the attempt before, as JSON.
            recovery: what is done about it.
            kept: the stages whose values the new attempt begins with.
        """
        last = (attempts.c.job_id == job_id) & (attempts.c.number == number - 1)
        ended = {"ended_at": time.time(), "diagnosis": diagnosis, "recovery": recovery}
        begun = {
            "job_id": job_id,
            "number": number,
            "zone": zone,
            "resume": resume,
            "started_at": time.time(),
        }
        with driving(self._engine, job_id) as connection:
            connection.execute(update(attempts).where(last).values(**ended))
            connection.execute(
                update(recoveries).where(_open(job_id, number - 1)).values(done_at=time.time())
            )
            connection.execute(insert(attempts).values(**begun))
            connection.execute(insert(stages).from_select(stages.c.keys(), _carried(job_id, number, kept)))
            connection.execute(update(jobs).where(jobs.c.id == job_id).values(attempt=number))


def _open(job_id: str, attempt: int) -> ColumnElement[bool]:
    """What was decided about an attempt and is carried out by beginning the next one."""
    of_it = (recoveries.c.job_id == job_id) & (recoveries.c.attempt == attempt)
    return of_it & recoveries.c.done_at.is_(None)


def _carried(job_id: str, number: int, kept: Sequence[str]) -> Select[Any]:
    """The rows of the attempt before `number` for these stages, with its own number."""
    before = (stages.c.job_id == job_id) & (stages.c.attempt == number - 1)
    done = (stages.c.state == StageState.DONE.value) & stages.c.stage.in_(kept)
    columns = [literal(number) if column is stages.c.attempt else column for column in stages.c]
    return select(*columns).where(before, done)
