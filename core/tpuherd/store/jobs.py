"""Jobs in the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from tpuherd.errors import StateError
from tpuherd.store.fence import driving
from tpuherd.store.leases import new_lease
from tpuherd.store.records import JobRecord, JobState, to_record
from tpuherd.store.tables import attempts, jobs, leases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine


class JobStore:
    """Reads and writes jobs; each begins with its first attempt."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def add(self, record: JobRecord, driver: str | None = None) -> None:
        """Add a new job with its first attempt, and with a lease if somebody is going to drive it at once."""
        values = {name: getattr(record, name) for name in record.__slots__} | {"state": record.state.value}
        with self._engine.begin() as connection:
            connection.execute(insert(jobs).values(**values))
            connection.execute(insert(attempts).values(**_first_attempt(record)))
            if driver is not None:
                connection.execute(insert(leases).values(**new_lease(record.id, driver)))

    def get(self, job_id: str) -> JobRecord:
        """The job of this id.

        Raises:
            StateError: there is none.
        """
        with self._engine.connect() as connection:
            row = connection.execute(select(jobs).where(jobs.c.id == job_id)).one_or_none()
        if row is None:
            raise StateError(f"there is no job {job_id}: `tpuherd list` shows all")
        return to_record(JobRecord, row)

    def all(self) -> list[JobRecord]:
        """All jobs, oldest first."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(jobs).order_by(jobs.c.created_at)).all()
        return [to_record(JobRecord, row) for row in rows]

    def members(self, fleet: str) -> list[JobRecord]:
        """The members of a fleet, by their numbers."""
        query = select(jobs).where(jobs.c.fleet == fleet).order_by(jobs.c.id)
        with self._engine.connect() as connection:
            return [to_record(JobRecord, row) for row in connection.execute(query).all()]

    def find(self, word: str) -> JobRecord:
        """The job that a user means: by id, by the start of an id, or the newest of that name.

        Raises:
            StateError: none or several match.
        """
        everything = self.all()
        named = [job for job in everything if job.name == word]
        exact = [job for job in everything if job.id == word] or named[-1:]
        matches = exact or [job for job in everything if word and job.id.startswith(word)]
        if len(matches) != 1:
            raise StateError(_no_match(word, matches, everything))
        return matches[0]

    def newest(self, name: str, owner: str) -> JobRecord | None:
        """The newest job of this name and owner."""
        return next((j for j in reversed(self.all()) if j.name == name and j.owner == owner), None)

    def conclude(self, job_id: str, exit_code: int, message: str) -> None:
        """Record how a job is going to end, before its slices are given back."""
        self._record(job_id, exit_code=exit_code, message=message)

    def end(self, job_id: str, state: JobState, exit_code: int, message: str) -> None:
        """Record the end of a job."""
        self._record(job_id, state=state.value, exit_code=exit_code, message=message, ended_at=time.time())

    def reopen(self, record: JobRecord) -> None:
        """Let a job be live again, from the job file that the record has."""
        names = ("file", "base_directory", "text", "overrides", "digest")
        file = {name: getattr(record, name) for name in names}
        fresh = {"wanted": "run", "ended_at": None, "exit_code": None, "message": ""}
        unseen = {"problem": None, "acknowledged_at": None, "acknowledgement": None}
        self._update(record.id, state=JobState.LIVE.value, **file, **fresh, **unseen)

    def want(self, job_id: str, wanted: str) -> None:
        """Record what a user asks the job's controller for: one of `store.wishes`."""
        self._update(job_id, wanted=wanted)

    def keep(self, job_id: str, *, keep: bool) -> None:
        """Record whether the slices stay when the job ends."""
        self._update(job_id, keep=keep)

    def remove(self, job_id: str) -> None:
        """Forget a job with all its rows."""
        with self._engine.begin() as connection:
            connection.execute(delete(jobs).where(jobs.c.id == job_id))

    def _record(self, job_id: str, **values: object) -> None:
        with driving(self._engine, job_id) as connection:
            connection.execute(update(jobs).where(jobs.c.id == job_id).values(**values))

    def _update(self, job_id: str, **values: object) -> None:
        with self._engine.begin() as connection:
            connection.execute(update(jobs).where(jobs.c.id == job_id).values(**values))


def _first_attempt(record: JobRecord) -> dict[str, object]:
    return {"job_id": record.id, "number": 1, "resume": False, "started_at": record.created_at}


def _no_match(word: str, matches: Sequence[JobRecord], everything: Sequence[JobRecord]) -> str:
    if matches:
        return f"'{word}' may mean {', '.join(job.id for job in matches)}: give more of the id"
    known = ", ".join(job.id for job in everything[-5:]) or "none so far"
    return f"there is no job '{word}'; the newest are: {known}. `tpuherd list` shows all"
