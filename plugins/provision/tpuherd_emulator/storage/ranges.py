"""Byte ranges of downloads."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tpuherd_emulator.storage.errors import StorageError

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True, slots=True)
class Stretch:
    """`length` bytes from `offset` on."""

    offset: int
    length: int


def parse_range(header: str | None, size: int) -> Stretch | None:
    """Read a `Range` header for a content of `size` bytes; None is all of it, also if it is malformed.

    Raises:
        StorageError: 416, it begins behind the end.
    """
    match = _RANGE.fullmatch((header or "").replace(" ", ""))
    if match is None or match[0] == "bytes=-":
        return None
    first, last = match[1], match[2]
    if not first:
        return _suffix(int(last), size)
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        raise _beyond()
    end = min(int(last), size - 1) if last else size - 1
    return Stretch(int(first), end - int(first) + 1)


def _suffix(length: int, size: int) -> Stretch:
    if length == 0 or size == 0:
        raise _beyond()
    return Stretch(max(size - length, 0), min(length, size))


def _beyond() -> StorageError:
    text = "The requested range cannot be satisfied."
    return StorageError(416, "requestedRangeNotSatisfiable", text, location="Range")
