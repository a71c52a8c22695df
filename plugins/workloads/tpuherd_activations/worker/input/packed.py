"""Files that gzip has packed: each worker unpacks those that it reads, once."""

from __future__ import annotations

import gzip
import shutil
import zlib
from typing import TYPE_CHECKING
from uuid import uuid4

from ..errors import InputError
from ..places.folder import Folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..places import Place
    from .source import Mark, Record, Source


class Gzip:
    """Offsets are those of the unpacked file, so a part is read without what is before it."""

    def __init__(self, inner: Source, cache: Path) -> None:
        """Keep what reads the unpacked file, and where unpacked files are."""
        self._inner, self._folder = inner, cache / "unpacked"

    def marks(self, place: Place, name: str) -> Iterator[Mark]:
        """See `Source.marks`."""
        return self._inner.marks(self._unpacked(place, name), name)

    def records(self, place: Place, name: str, offset: int, count: int) -> Iterator[Record]:
        """See `Source.records`."""
        return self._inner.records(self._unpacked(place, name), name, offset, count)

    def where(self, place: Place, name: str, offset: int, index: int) -> str:
        """See `Source.where`."""
        return self._inner.where(self._unpacked(place, name), name, offset, index)

    def _unpacked(self, place: Place, name: str) -> Place:
        target = self._folder / name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            draft = target.with_name(f"{target.name}.{uuid4().hex}")
            _unpack(place, name, draft)
            draft.rename(target)
        return _Unpacked(self._folder, place.address)


def _unpack(place: Place, name: str, target: Path) -> None:
    try:
        with place.open(name) as stream, gzip.open(stream) as packed, target.open("wb") as file:
            shutil.copyfileobj(packed, file)
    except (OSError, EOFError, zlib.error) as error:
        target.unlink(missing_ok=True)
        raise InputError(f"{place.address}/{name}: cannot be unpacked here: {error}") from error


class _Unpacked(Folder):
    """A folder of unpacked files, which has the address of where they come from: errors name it."""

    def __init__(self, root: Path, address: str) -> None:
        super().__init__(root)
        self._address = address

    @property
    def address(self) -> str:
        return self._address
