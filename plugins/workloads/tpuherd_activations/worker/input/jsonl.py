"""JSONL: one document per line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..errors import InputError
from .source import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..places import Place
    from .source import Record


class Lines:
    """Offsets are bytes, so a part is read without what is before it. Blank lines are no documents."""

    def marks(self, place: Place, name: str) -> Iterator[Mark]:
        """See `Source.marks`; lines are not parsed."""
        offset = 0
        with place.open(name) as stream:
            for line in stream:
                if line.strip():
                    yield Mark(offset, len(line))
                offset += len(line)

    def records(self, place: Place, name: str, offset: int, count: int) -> Iterator[Record]:
        """See `Source.records`."""
        where = f"{place.address}/{name}"
        with place.open(name) as stream:
            stream.seek(offset)
            for line in stream:
                if not count:
                    return
                if line.strip():
                    yield _parsed(line, f"{where}: the line at byte {offset}")
                    count -= 1
                offset += len(line)
        if count:
            raise InputError(
                f"{where}: {count} documents are missing that were there; do not change the input"
            )


def _parsed(line: bytes, where: str) -> Record:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise InputError(f"{where} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f'{where}: expected an object such as {{"text": …}}')
    return found
