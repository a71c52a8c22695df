"""Contents: bytes on disk, with their checksums, on their way to becoming an object."""

from __future__ import annotations

import base64
import hashlib
import os
import uuid
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Self

import google_crc32c

from tpuherd_emulator.storage.errors import invalid

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

PIECE_BYTES = 1024 * 1024
"""How much of a body is in memory at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checksums:
    """Checksums as the API writes them: base64 of the big-endian digest; None is unknown."""

    crc32c: str | None = None
    md5: str | None = None

    def check(self, content: Content) -> None:
        """Compare with what arrived.

        Raises:
            StorageError: 400, they differ.
        """
        for kind, wanted, found in (("CRC32C", self.crc32c, content.crc32c), ("MD5", self.md5, content.md5)):
            if wanted is not None and found is not None and wanted != found:
                msg = f"Provided {kind} hash {wanted!r} doesn't match calculated {kind} hash {found!r}."
                raise invalid(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A finished file, owned by one request until the catalogue takes it over. Sizes are in bytes."""

    path: Path
    size: int
    crc32c: str
    md5: str | None
    components: int | None = None

    def discard(self) -> None:
        """Remove the file, if the catalogue did not take it."""
        self.path.unlink(missing_ok=True)


class ContentWriter:
    """Writes one content piece by piece; leaving the `with` block without `finish` removes the file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / uuid.uuid4().hex
        self._file: IO[bytes] | None = None
        self._finished = False
        self._crc32c = google_crc32c.Checksum()
        self._md5 = hashlib.md5(usedforsecurity=False)
        self.size = 0

    def write(self, piece: bytes) -> None:
        """Append one piece."""
        if self._file is None:
            self._file = self._path.open("ab", buffering=0)
        self._file.write(piece)
        self._crc32c.update(piece)
        self._md5.update(piece)
        self.size += len(piece)

    def write_all(self, pieces: Iterable[bytes]) -> Self:
        """Append all pieces."""
        for piece in pieces:
            self.write(piece)
        return self

    def pause(self) -> None:
        """Close the file until the next piece comes: stalled uploads must not use up the descriptors."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def finish(self) -> Content:
        """Hand the content over."""
        return replace(self.finish_composite(None), md5=_text(self._md5.digest()))

    def finish_composite(self, components: int | None) -> Content:
        """The same for a content that was put together from others: it has no MD5, as in the real service."""
        self.write(b"")
        self.pause()
        self._finished = True
        crc = _text(self._crc32c.digest())
        return Content(path=self._path, size=self.size, crc32c=crc, md5=None, components=components)

    def discard(self) -> None:
        """Give the content up, if it is not finished."""
        if not self._finished:
            self.pause()
            self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


def linked(source: Path, folder: Path) -> Path:
    """A second name for a file, free of copying; the first may go away."""
    target = folder / uuid.uuid4().hex
    os.link(source, target)
    return target


def pieces(file: IO[bytes], offset: int = 0) -> Iterable[bytes]:
    """An open file from `offset` (bytes) to its end, piece by piece."""
    file.seek(offset)
    while piece := file.read(PIECE_BYTES):
        yield piece


def _text(digest: bytes) -> str:
    return base64.b64encode(digest).decode()
