"""The events of a job as they come."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.model.event import Event
    from tpuherd.store.store import Store

POLL_S = 0.2
LAST_WORDS_S = 3.0
"""So long after a job's end its last event may come: its controller may die before it tells of it."""


def stream(store: Store, job_id: str) -> Iterator[Event]:
    """All events of a job, oldest first, then those that come, until it has ended.

    Raises:
        StateError: the job was deleted meanwhile.
    """
    last_id, newest = 0, cast("Event | None", None)
    while True:
        ended = _ended(store, job_id)  # asked first: what came before the end is shown
        for number, event in store.events.after(job_id, last_id):
            last_id, newest = number, event
            yield event
        if ended is not None and (_is_last(newest) or time.time() - ended > LAST_WORDS_S):
            return
        time.sleep(POLL_S)


def _ended(store: Store, job_id: str) -> float | None:
    """When the job ended; `None` while it is live."""
    record = store.jobs.get(job_id)
    return (record.ended_at or 0.0) if record.state.ended else None


def _is_last(event: Event | None) -> bool:
    return event is not None and event.kind == "job.ended"
