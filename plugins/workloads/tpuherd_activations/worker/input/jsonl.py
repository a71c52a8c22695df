"""JSONL: one document per line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

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
        with place.open(name) as stream:
            stream.seek(offset)
            for line in stream:
                if not count:
                    return
                if line.strip():
                    yield self._parsed(line, place, name, offset)
                    count -= 1
                offset += len(line)
        if count:
            raise InputError(
                f"{place.address}/{name}: {count} documents are missing that were there; "
                "do not change the input"
            )

    def where(self, place: Place, name: str, offset: int, index: int) -> str:
        """See `Source.where`: the line. It is counted only now, when something is wrong with it."""
        with place.open(name) as stream:
            at = 0
            for number, line in enumerate(stream, 1):
                if at >= offset and line.strip():
                    if not index:
                        return f"line {number}"
                    index -= 1
                at += len(line)
        return "after its end"

    def _parsed(self, line: bytes, place: Place, name: str, offset: int) -> Record:
        try:
            found = json.loads(line)
            problem = "" if isinstance(found, dict) else 'expected an object such as {"text": …}'
        except ValueError as error:
            found, problem = {}, f"this is no JSON: {error}"
        if problem:
            raise InputError(f"{place.address}/{name}: {self.where(place, name, offset, 0)}: {problem}")
        return cast("Record", found)
