"""What the store knows about itself."""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from tpuherd.store.tables import settings

if TYPE_CHECKING:
    from sqlalchemy import Engine

STORE_ID = "store-id"


class SettingStore:
    """Reads and writes facts about the store as a whole."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    @cached_property
    def store_id(self) -> str:
        """A random id of this store, the same for all who open it; cloud resources carry it as a label."""
        found = self.get(STORE_ID)
        if found is None:
            self._add(STORE_ID, secrets.token_hex(8))
        return found or self.get(STORE_ID) or ""

    def get(self, key: str) -> str | None:
        """The value of a key, if it was ever set."""
        with self._engine.connect() as connection:
            return connection.execute(select(settings.c.value).where(settings.c.key == key)).scalar()

    def _add(self, key: str, value: str) -> None:
        """Set what nobody has set; whoever is quicker wins."""
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(settings).values(key=key, value=value))
        except IntegrityError:
            return
