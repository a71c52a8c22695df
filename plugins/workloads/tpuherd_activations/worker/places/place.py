"""What the rest needs of a folder or a bucket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a file holds, in two numbers.

    Attributes:
        size_bytes: How long it is.
        crc32c: Its checksum, as object storage has it.
    """

    size_bytes: int
    crc32c: int


class Place(Protocol):
    """Files by name, where names are paths with `/`. A file is there whole or not at all.

    Files are only ever created, never changed. What changes lies in cells: small values with a version, that
    are written only by those who know the newest.
    """

    @property
    def address(self) -> str:
        """What a user calls it."""

    def names(self, prefix: str = "") -> list[str]:
        """Names of all files that begin so, sorted."""

    def find(self, name: str) -> bytes | None:
        """What a small file holds; None if there is none."""

    def open(self, name: str) -> BinaryIO:
        """Read a file from its beginning; it can seek. Raises `PlaceError` if there is none."""

    def identity(self, name: str) -> Identity:
        """Length and checksum of a file; raises `PlaceError` if there is none."""

    def identities(self, names: Sequence[str]) -> dict[str, Identity]:
        """Those of several files, by name; raises `PlaceError` if one is not there."""

    def create(self, name: str, data: bytes) -> bool:
        """Write a small file if there is none of this name; False if there is one."""

    def deliver(self, name: str, file: Path, identity: Identity) -> None:
        """Move a finished file of this machine here. One that is here already with the same bytes stays.

        Raises:
            PlaceError: it did not arrive as it was, or another file has the name.
        """

    def local(self, name: str, cache: Path) -> Path:
        """The file on this machine, fetched into `cache` if need be; raises `PlaceError`."""

    def delete(self, name: str) -> None:
        """Remove a file, if it is there."""

    def cell(self, name: str) -> tuple[bytes, int] | None:
        """A cell's value and version; None if it has none."""

    def swap(self, name: str, data: bytes, version: int) -> int | None:
        """Write a cell whose newest version is the given one (0: it has none).

        Returns:
            The new version; None if somebody else was first.
        """

    def clear(self) -> None:
        """Remove all cells and what killed writers left: nobody needs them any more."""

    def scratch(self, name: str) -> Path:
        """An empty folder on this machine in which files for this place are written."""

    def sweep(self, prefix: str) -> None:
        """Remove the folders that `scratch` has made here under names that begin so."""
