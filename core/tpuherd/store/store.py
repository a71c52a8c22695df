"""The store as one object."""

from __future__ import annotations

from tpuherd.paths import database_url
from tpuherd.store.aliases import AliasStore
from tpuherd.store.attempts import AttemptStore
from tpuherd.store.claims import ClaimStore
from tpuherd.store.database import open_database
from tpuherd.store.events import EventStore
from tpuherd.store.jobs import JobStore
from tpuherd.store.leases import LeaseStore
from tpuherd.store.recoveries import RecoveryStore
from tpuherd.store.reservations import ReservationStore
from tpuherd.store.settings import SettingStore
from tpuherd.store.stages import StageStore
from tpuherd.store.supervisors import SupervisorStore
from tpuherd.store.tenures import TenureStore
from tpuherd.store.wishes import WishStore


class Store:
    """Everything that tpuherd remembers."""

    def __init__(self, url: str) -> None:
        """Open the database at an SQLAlchemy URL; raises `StateError` if that is impossible."""
        self.engine = open_database(url)
        self.jobs = JobStore(self.engine)
        self.attempts = AttemptStore(self.engine)
        self.stages = StageStore(self.engine)
        self.events = EventStore(self.engine)
        self.recoveries = RecoveryStore(self.engine)
        self.leases = LeaseStore(self.engine)
        self.settings = SettingStore(self.engine)
        self.tenures = TenureStore(self.engine)
        self.wishes = WishStore(self.engine)
        self.supervisors = SupervisorStore(self.engine)
        self.reservations = ReservationStore(self.engine)
        self.aliases = AliasStore(self.engine)
        self.claims = ClaimStore(self.engine)


def open_store() -> Store:
    """Open the store of this user; see `paths.database_url`."""
    return Store(database_url())
