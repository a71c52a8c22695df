"""The process that gives back what a job keeps when its ttl is over, or when nothing has used it for long.

Nothing depends on it: if it is killed, `tpuherd gc` finds what it would have given back.
"""

from __future__ import annotations

import fcntl
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.cleanup.giving_back import give_back
from tpuherd.engine.holding import holds_nothing
from tpuherd.engine.tenure import held_until
from tpuherd.errors import TpuherdError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pluggy import PluginManager

    from tpuherd.output.reporter import Reporter
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

POLL_S = 2.0
"""How often the store is looked at: somebody may give back, forget or drive the job."""
FIRST_RETRY_S = 5.0
LONGEST_RETRY_S = 300.0


class Watcher:
    """Watches one job; see `run`."""

    def __init__(self, store: Store, manager: PluginManager, reporter: Reporter, job_id: str) -> None:
        """Keep the parts."""
        self._store = store
        self._manager = manager
        self._reporter = reporter
        self._job_id = job_id
        self._retry_s = FIRST_RETRY_S

    def run(self) -> None:
        """Wait until the job holds nothing any more, and see to it when it is due."""
        while (record := self._watched()) is not None:
            time.sleep(self._retry_s if self._failed(record) else POLL_S)

    def _watched(self) -> JobRecord | None:
        """The job; `None` if there is nothing to watch any more."""
        record = next((job for job in self._store.jobs.all() if job.id == self._job_id), None)
        if record is None or not Path(record.directory).exists():
            return None
        return None if holds_nothing(self._store, record.id, record.attempt) else record

    def _failed(self, record: JobRecord) -> bool:
        """Give back what is due; true if that did not work, and is to be tried again later and later."""
        due = held_until(record, self._store.tenures.last_use(record.id))
        if due is None or due > time.time() or self._store.leases.driver(record.id):
            return False
        try:
            give_back(self._store, self._manager, record, self._reporter)
        except TpuherdError as error:
            self._reporter.problem(f"giving back {record.id}: {error}; trying again in {self._retry_s:.0f} s")
            self._retry_s = min(2 * self._retry_s, LONGEST_RETRY_S)
            return True
        return False


@contextmanager
def only_one(directory: Path) -> Iterator[bool]:
    """True for the first process on this machine that watches a job, until it ends in whatever way."""
    with (directory / "watcher.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
