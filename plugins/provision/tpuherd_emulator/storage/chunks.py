"""Which part of a resumable upload a request carries."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tpuherd_emulator.storage.errors import invalid

_CONTENT_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Where the body begins, None if there is none, and the size of the whole, if that is known. Bytes."""

    first: int | None
    total: int | None


def parse_chunk(header: str | None, length: int | None) -> Chunk:
    """Read a `Content-Range`; without one, the body is the whole, of `length` bytes if that is known.

    Raises:
        StorageError: 400, malformed.
    """
    if header is None:
        return Chunk(first=0, total=length)
    match = _CONTENT_RANGE.fullmatch(header.strip())
    if match is None:
        raise invalid(f"Failed to parse Content-Range header: {header!r}", "Content-Range")
    first, _, total = match.groups()
    return Chunk(first=None if first is None else int(first), total=None if total == "*" else int(total))
