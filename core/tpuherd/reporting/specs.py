"""The job files of stored jobs, each read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.engine.opening import stored_spec
from tpuherd.errors import TpuherdError

if TYPE_CHECKING:
    from pluggy import PluginManager

    from tpuherd.config.spec import JobSpec
    from tpuherd.store.records import JobRecord


class Specs:
    """Reads them as they are asked for."""

    def __init__(self, manager: PluginManager) -> None:
        """Keep the plugins, whose sections job files may have."""
        self._manager = manager
        self._known: dict[tuple[str, str], JobSpec | None] = {}

    def of(self, record: JobRecord) -> JobSpec | None:
        """A job's file; `None` if it means nothing any more, for example because a plugin was uninstalled."""
        key = (record.id, record.digest)
        if key not in self._known:
            self._known[key] = self._read(record)
        return self._known[key]

    def _read(self, record: JobRecord) -> JobSpec | None:
        try:
            return stored_spec(self._manager, record)
        except TpuherdError:
            return None
