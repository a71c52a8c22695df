"""The input, cut into parts: the same input and settings make the same parts, whoever cuts them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..errors import InputError
from .source import source_of
from .streams import numbering

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..places import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Documents that follow one another in a file; they become one shard.

    Attributes:
        index: Of the part.
        stream: The file's name.
        offset: Where the first document begins, see `Mark`.
        documents: How many there are.
        first_document: The id of the first.
        step: What the ids grow by.
        size_bytes: About how much text it is.
    """

    index: int
    stream: str
    offset: int
    documents: int
    first_document: int
    step: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Plan:
    """All parts of an input."""

    parts: tuple[Part, ...]

    def to_bytes(self) -> bytes:
        """As JSON, a line per part."""
        lines = ",\n".join(json.dumps(asdict(part)) for part in self.parts)
        return f'{{"parts": [\n{lines}\n]}}\n'.encode()


def read(data: bytes) -> Plan:
    """A plan of its JSON."""
    return Plan(tuple(Part(**part) for part in json.loads(data)["parts"]))


def cut(place: Place, names: list[str], part_bytes: int, cache: Path) -> Plan:
    """Cut files into parts of about so much text each; every file is read through once.

    A part never spans two files. Ids count through all files, or are those of the documents before
    `create-streams` has spread them.

    Raises:
        InputError: there are no documents, or a file cannot be read.
    """
    numbers = numbering(place, names)
    parts: list[Part] = []
    counted = 0
    for name in names:
        first, step = numbers.get(name, (counted, 1))
        for offset, documents, size in _pieces(place, name, part_bytes, cache):
            part = Part(
                index=len(parts),
                stream=name,
                offset=offset,
                documents=documents,
                first_document=first,
                step=step,
                size_bytes=size,
            )
            parts.append(part)
            first += documents * step
            counted += documents
    if not parts:
        raise InputError(f"{place.address}: its {len(names)} files hold no documents")
    return Plan(tuple(parts))


def _pieces(place: Place, name: str, part_bytes: int, cache: Path) -> Iterator[tuple[int, int, int]]:
    """Offset, documents and size of each part of a file."""
    offset = documents = size = 0
    for mark in source_of(name, cache).marks(place, name):
        if not documents:
            offset = mark.offset
        documents, size = documents + 1, size + mark.size_bytes
        if size >= part_bytes:
            yield offset, documents, size
            documents = size = 0
    if documents:
        yield offset, documents, size
