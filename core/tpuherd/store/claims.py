"""Claims: a machine that exists already is used by one job at a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, delete, insert, select
from sqlalchemy.exc import IntegrityError

from tpuherd.store.records import JobState
from tpuherd.store.tables import claims, jobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine

_UNENDED = (JobState.LIVE.value, JobState.PAUSED.value)
_HOLDING = select(jobs.c.id).where(jobs.c.state.in_(_UNENDED) | jobs.c.keep)
"""A claim counts while its job lives, and after that if the job was told to keep what it holds."""


class ClaimStore:
    """Takes claims and gives them back. A claim goes with its job: nothing has to be renewed."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def take(self, job_id: str, resources: Sequence[str]) -> str | None:
        """Try to claim some things for a job, all or none; what it has claimed already stays so.

        Args:
            job_id: a job of this store.
            resources: ids of the things.

        Returns:
            `None` if they are ours now, else the job that holds one of them.
        """
        over = claims.c.resource.in_(resources) & (claims.c.job_id.not_in(_HOLDING) | _of(job_id))
        rows = [{"resource": one, "job_id": job_id, "created_at": time.time()} for one in resources]
        try:
            with self._engine.begin() as connection:
                connection.execute(delete(claims).where(over))
                connection.execute(insert(claims), rows)
        except IntegrityError:
            return self.holder(resources) or "a job that was quicker"
        return None

    def holder(self, resources: Sequence[str]) -> str | None:
        """The job that holds one of these, if there is one."""
        query = select(claims.c.job_id).where(claims.c.resource.in_(resources), claims.c.job_id.in_(_HOLDING))
        with self._engine.connect() as connection:
            return connection.execute(query).scalars().first()

    def of_job(self, job_id: str) -> frozenset[str]:
        """What a job has claimed."""
        with self._engine.connect() as connection:
            return frozenset(connection.execute(select(claims.c.resource).where(_of(job_id))).scalars())

    def all(self) -> dict[str, str]:
        """All claims that count: id of the thing to job."""
        query = select(claims.c.resource, claims.c.job_id).where(claims.c.job_id.in_(_HOLDING))
        with self._engine.connect() as connection:
            return {row.resource: row.job_id for row in connection.execute(query)}

    def give_back(self, job_id: str, resources: Sequence[str] | None = None) -> None:
        """Drop claims of a job; `None`: all that it has."""
        chosen = _of(job_id) if resources is None else _of(job_id) & claims.c.resource.in_(resources)
        with self._engine.begin() as connection:
            connection.execute(delete(claims).where(chosen))


def _of(job_id: str) -> ColumnElement[bool]:
    return claims.c.job_id == job_id
