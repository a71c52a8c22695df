"""Members get the supervisor: it drives them, whoever watches."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.engine.background import start_background, supervisor_log
from tpuherd.errors import StateError
from tpuherd.store.leases import process_name
from tpuherd.supervising.choosing import wants_somebody

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

UNDRIVEN_S = 2.0
"""So long may nobody drive a member before somebody is started for it: a supervisor looks twice a second."""

TRIES = 3
"""So often is somebody started in `CALM_S`; it does not help more often."""
CALM_S = 120.0


def begin(store: Store, records: Iterable[JobRecord], *, keep: bool) -> None:
    """Let all members go on that have not ended and that nobody drives, paused ones included."""
    free = [one for one in records if not one.state.ended and store.leases.take(one.id) is None]
    for record in free:
        store.wishes.go_on(record.id)
        store.jobs.keep(record.id, keep=keep or record.keep)
    hand_over(store, free)


def hand_over(store: Store, records: Sequence[JobRecord]) -> None:
    """Give members whose leases we have to one process in the background."""
    if not records:
        return
    driver = process_name(start_background(*records))
    for record in records:
        store.leases.hand_over(record.id, driver)


class Caretaker:
    """Sees to it that members are driven also when a supervisor was killed; it does not try for ever."""

    def __init__(self, store: Store) -> None:
        """Keep the store."""
        self._store = store
        self._missing: dict[str, float] = {}
        self._started: list[float] = []

    def look(self, records: Iterable[JobRecord]) -> None:
        """Start somebody for members that nobody has driven for a while.

        Raises:
            StateError: whoever was started has ended again and again.
        """
        missing = [one for one in records if self._is_missing(one)]
        since = {one.id: self._missing.get(one.id, time.monotonic()) for one in missing}
        self._missing = since
        due = [one for one in missing if time.monotonic() - since[one.id] > UNDRIVEN_S]
        free = [one for one in due if self._store.leases.take(one.id) is None]
        if free:
            self._start(free)

    def _start(self, free: Sequence[JobRecord]) -> None:
        now = time.monotonic()
        self._started = [at for at in self._started if now - at < CALM_S]
        if len(self._started) >= TRIES:
            raise StateError(f"nobody drives {free[0].id}: {supervisor_log()} says why")
        self._started.append(now)
        hand_over(self._store, free)

    def _is_missing(self, record: JobRecord) -> bool:
        to_do = not record.state.ended and wants_somebody(record.state.value, record.wanted)
        return to_do and not record.problem and self._store.leases.driver(record.id) is None
