"""The store as one object."""

from __future__ import annotations

from tpuherd.paths import database_url
from tpuherd.store.database import open_database
from tpuherd.store.events import EventStore
from tpuherd.store.jobs import JobStore
from tpuherd.store.leases import LeaseStore
from tpuherd.store.stages import StageStore


class Store:
    """Everything that tpuherd remembers."""

    def __init__(self, url: str) -> None:
        """Open the database at an SQLAlchemy URL; raises `StateError` if that is impossible."""
        self.engine = open_database(url)
        self.jobs = JobStore(self.engine)
        self.stages = StageStore(self.engine)
        self.events = EventStore(self.engine)
        self.leases = LeaseStore(self.engine)


def open_store() -> Store:
    """Open the store of this user; see `paths.database_url`."""
    return Store(database_url())
