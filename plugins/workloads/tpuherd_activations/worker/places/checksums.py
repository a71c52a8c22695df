"""Checksums as object storage has them: CRC-32C."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from .place import Identity

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

CHUNK = 1 << 22


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


def from_base64(text: str) -> int:
    """The number behind the text that the API sends."""
    return int.from_bytes(base64.b64decode(text), "big")
