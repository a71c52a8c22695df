"""Small values with versions in a folder: version 7 of `a` is the file `a.7`, created by whoever is first."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from .linking import linked, written

if TYPE_CHECKING:
    from pathlib import Path


class Cells:
    """The cells below a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> tuple[bytes, int] | None:
        """The newest value and its version."""
        for version in sorted(self._versions(name), reverse=True):
            with suppress(FileNotFoundError):
                return self._file(name, version).read_bytes(), version
        return None

    def swap(self, name: str, data: bytes, version: int) -> int | None:
        """Write the version after the given one, if that is the newest."""
        known = self._versions(name)
        if max(known, default=0) != version:
            return None
        file = written(self._folder, data)
        try:
            mine = linked(file, self._file(name, version + 1))
        except FileNotFoundError:  # all cells have just been cleared
            mine = False
        file.unlink(missing_ok=True)
        if not mine or max(self._versions(name), default=0) != version + 1:
            return None
        for old in known - {version}:  # the last one stays: who reads now may still want it
            self._file(name, old).unlink(missing_ok=True)
        return version + 1

    def _file(self, name: str, version: int) -> Path:
        return self._folder / f"{name}.{version}"

    def _versions(self, name: str) -> set[int]:
        path = self._folder / name
        found = (entry.name.rpartition(".") for entry in path.parent.glob(f"{path.name}.*"))
        return {int(number) for stem, _, number in found if stem == path.name and number.isdigit()}
