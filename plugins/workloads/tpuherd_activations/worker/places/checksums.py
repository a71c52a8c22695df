"""Checksums as object storage has them: CRC-32C."""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import TYPE_CHECKING

from .place import Identity

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Any, BinaryIO

    from numpy.typing import NDArray

CHUNK = 1 << 22
POLYNOMIAL = 0x82F63B78
"""Castagnoli's, by which checksums are reduced. The highest bit stands for 1, the next for x."""
ONE, X_TO_THE_8 = 1 << 31, 1 << 23


def identity_of(file: Path) -> Identity:
    """Length and checksum of a file of this machine."""
    with file.open("rb") as stream:
        return identity_in(stream)


def identity_in(stream: BinaryIO) -> Identity:
    """Length and checksum of what is left of a stream."""
    import google_crc32c

    size = crc = 0
    while chunk := stream.read(CHUNK):
        crc = google_crc32c.extend(crc, chunk)
        size += len(chunk)
    return Identity(size_bytes=size, crc32c=crc)


def identity_of_numbers(numbers: NDArray[Any]) -> Identity:
    """Length and checksum of an array's bytes; it has to be contiguous."""
    import google_crc32c

    data = numbers.view()
    data.flags.writeable = False  # the library refuses what may change meanwhile
    return Identity(size_bytes=data.nbytes, crc32c=google_crc32c.value(data))


def joined(pieces: Iterable[Identity]) -> Identity:
    """Length and checksum of pieces one after the other, without their bytes (no library here has that)."""
    size = crc = 0
    for piece in pieces:
        crc = _times(_power(piece.size_bytes), crc) ^ piece.crc32c
        size += piece.size_bytes
    return Identity(size_bytes=size, crc32c=crc)


@lru_cache(1 << 14)
def _power(count: int) -> int:
    """What so many bytes after it do to a checksum: x to the 8 times `count`."""
    if not count:
        return ONE
    half = _power(count // 2)
    even = _times(half, half)
    return _times(even, X_TO_THE_8) if count % 2 else even


def _times(one: int, other: int) -> int:
    """The product of two polynomials over the field of two, reduced."""
    found = 0
    while one:
        if one & ONE:
            found ^= other
        one = (one << 1) & 0xFFFFFFFF
        other = (other >> 1) ^ (POLYNOMIAL if other & 1 else 0)
    return found


def from_base64(text: str) -> int:
    """The number behind the text that the API sends."""
    return int.from_bytes(base64.b64decode(text), "big")
