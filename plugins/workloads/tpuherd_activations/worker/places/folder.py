"""A folder as a place. What is being written lies in `.work` beside the files, on the same file system."""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from ..errors import PlaceError
from .cells import Cells
from .checksums import identity_of
from .linking import leave_memory, linked, reach_disk, written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

    from .place import Identity

WORK = ".work"


class Folder:
    """Files appear under their names by one link, after they have reached the disk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._work = root / WORK
        self._cells = Cells(self._work / "cells")

    @property
    def address(self) -> str:
        """The path."""
        return str(self.root)

    def names(self, prefix: str = "") -> list[str]:
        """See `Place.names`."""
        top = self.root / prefix.rpartition("/")[0]
        found = (path.relative_to(self.root) for path in top.rglob("*") if path.is_file())
        names = (path.as_posix() for path in found if path.parts[0] != WORK)
        return sorted(name for name in names if name.startswith(prefix))

    def find(self, name: str) -> bytes | None:
        """See `Place.find`."""
        try:
            return (self.root / name).read_bytes()
        except FileNotFoundError:
            return None

    def open(self, name: str) -> BinaryIO:
        """See `Place.open`."""
        try:
            return (self.root / name).open("rb")
        except OSError as error:
            raise PlaceError(f"{self.root / name}: {error.strerror}") from error

    def identity(self, name: str) -> Identity:
        """See `Place.identity`; the file is read."""
        return identity_of(self.local(name, self.root))

    def identities(self, names: Sequence[str]) -> dict[str, Identity]:
        """See `Place.identities`; the files are read."""
        return {name: self.identity(name) for name in names}

    def create(self, name: str, data: bytes) -> bool:
        """See `Place.create`."""
        while True:
            file = written(self._work, data)
            with suppress(FileNotFoundError):  # somebody has just cleared the place: once more
                made = linked(file, self.root / name)
                file.unlink(missing_ok=True)
                return made

    def deliver(self, name: str, file: Path, identity: Identity) -> None:
        """See `Place.deliver`."""
        reach_disk(file)
        leave_memory(file)
        target = self.root / name
        if not linked(file, target) and identity_of(target) != identity:
            raise PlaceError(f"{target}: there is another file of this name; it was damaged, remove it")
        file.unlink()

    def local(self, name: str, cache: Path) -> Path:  # noqa: ARG002
        """See `Place.local`: it is there already."""
        if not (self.root / name).is_file():
            raise PlaceError(f"{self.root / name}: there is no such file")
        return self.root / name

    def delete(self, name: str) -> None:
        """See `Place.delete`."""
        (self.root / name).unlink(missing_ok=True)

    def cell(self, name: str) -> tuple[bytes, int] | None:
        """See `Place.cell`."""
        return self._cells.read(name)

    def swap(self, name: str, data: bytes, version: int) -> int | None:
        """See `Place.swap`."""
        return self._cells.swap(name, data, version)

    def clear(self) -> None:
        """See `Place.clear`."""
        shutil.rmtree(self._work, ignore_errors=True)

    def scratch(self, name: str) -> Path:
        """See `Place.scratch`."""
        folder = self._work / name
        folder.mkdir(parents=True)
        return folder

    def sweep(self, prefix: str) -> None:
        """See `Place.sweep`."""
        path = self._work / prefix
        for folder in path.parent.glob(f"{path.name}*"):
            shutil.rmtree(folder, ignore_errors=True)
