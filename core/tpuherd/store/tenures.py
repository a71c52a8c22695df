"""How long jobs may hold what they asked for, and when it was used last."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sqlalchemy import func, select, update

from tpuherd.store.records import StageState
from tpuherd.store.tables import jobs, stages

if TYPE_CHECKING:
    from sqlalchemy import Engine

PROVISION = "provision"


class TenureStore:
    """Reads and writes the limits of jobs."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def begin(self, job_id: str) -> float | None:
        """Let a job's ttl count from now, unless it has had slices already: then it counts from there.

        Returns:
            The moment at which it is over, in Unix seconds; `None` for a job without a ttl.
        """
        had = select(stages.c.job_id).where(
            stages.c.job_id == job_id, stages.c.stage == PROVISION, stages.c.state == StageState.DONE.value
        )
        again = (jobs.c.id == job_id) & (jobs.c.expires_at.is_(None) | ~had.exists())
        over = jobs.c.ttl_s + time.time()
        with self._engine.begin() as connection:
            connection.execute(update(jobs).where(again).values(expires_at=over))
            return connection.execute(select(jobs.c.expires_at).where(jobs.c.id == job_id)).scalar()

    def use(self, job_id: str) -> None:
        """Record that something uses the job's slices now."""
        with self._engine.begin() as connection:
            connection.execute(update(jobs).where(jobs.c.id == job_id).values(used_at=time.time()))

    def last_use(self, job_id: str) -> float:
        """When something used the job's slices last, in Unix seconds; 0 for a job that is not there.

        Stages count, too, also those of a controller that was killed.
        """
        steps = select(func.max(stages.c.started_at), func.max(stages.c.ended_at)).where(
            stages.c.job_id == job_id
        )
        marks = select(jobs.c.created_at, jobs.c.ended_at, jobs.c.used_at).where(jobs.c.id == job_id)
        with self._engine.connect() as connection:
            found = [*connection.execute(steps).one(), *(connection.execute(marks).one_or_none() or ())]
        return max((at for at in found if at is not None), default=0.0)
