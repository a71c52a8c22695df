"""The live objects of one bucket, by name and in order."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd_emulator.storage.resources import StoredObject


class Index:
    """Names are in the order of their code points, which is that of their UTF-8 bytes."""

    def __init__(self) -> None:
        self._objects: dict[str, StoredObject] = {}
        self._names: list[str] = []

    def __len__(self) -> int:
        return len(self._objects)

    def get(self, name: str) -> StoredObject | None:
        """The object of a name."""
        return self._objects.get(name)

    def keep(self, stored: StoredObject) -> None:
        """Add an object, or replace the one of its name."""
        if stored.name not in self._objects:
            insort(self._names, stored.name)
        self._objects[stored.name] = stored

    def drop(self, name: str) -> None:
        """Forget an object."""
        del self._objects[name]
        del self._names[bisect_left(self._names, name)]

    def first_from(self, start: str) -> StoredObject | None:
        """The first object whose name is `start` or behind it."""
        at = bisect_left(self._names, start)
        return self._objects[self._names[at]] if at < len(self._names) else None
