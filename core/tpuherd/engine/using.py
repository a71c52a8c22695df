"""Marks in the store that say that something uses a job's slices, so that they do not count as idle."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

LONGEST_PAUSE_S = 10.0
"""Between two marks."""


@contextmanager
def in_use(store: Store, record: JobRecord) -> Iterator[None]:
    """Mark a job's slices as used from the beginning to the end of the block, and all the time between."""
    done = threading.Event()
    pause_s = min(LONGEST_PAUSE_S, (record.idle_timeout_s or LONGEST_PAUSE_S) / 4)

    def mark() -> None:
        store.tenures.use(record.id)
        while not done.wait(pause_s):
            store.tenures.use(record.id)

    thread = threading.Thread(target=mark, name="in use", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        store.tenures.use(record.id)
