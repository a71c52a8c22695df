"""Events in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from tpuherd.model.event import Event
from tpuherd.store.records import to_record
from tpuherd.store.tables import events

if TYPE_CHECKING:
    from sqlalchemy import Engine


class EventStore:
    """Reads and writes the history of jobs."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def add(self, event: Event) -> None:
        """Append an event."""
        values = {name: getattr(event, name) for name in event.__slots__}
        with self._engine.begin() as connection:
            connection.execute(insert(events).values(**values))

    def has(self, job_id: str, attempt: int, kind: str) -> bool:
        """True if an event of this kind was told of an attempt."""
        this = (events.c.job_id == job_id) & (events.c.attempt == attempt) & (events.c.kind == kind)
        with self._engine.connect() as connection:
            return connection.execute(select(events.c.id).where(this).limit(1)).scalar() is not None

    def all(self, job_id: str) -> list[Event]:
        """All events of a job, oldest first."""
        query = select(events).where(events.c.job_id == job_id).order_by(events.c.id)
        with self._engine.connect() as connection:
            return [to_record(Event, row) for row in connection.execute(query).all()]

    def after(self, job_id: str, last_id: int) -> list[tuple[int, Event]]:
        """The events of a job that came after one of them, oldest first, each with its id.

        Args:
            job_id: the job.
            last_id: id of the event; 0: all.
        """
        newer = (events.c.job_id == job_id) & (events.c.id > last_id)
        query = select(events).where(newer).order_by(events.c.id)
        with self._engine.connect() as connection:
            return [(row.id, to_record(Event, row)) for row in connection.execute(query).all()]
