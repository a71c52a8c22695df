"""Kinds of input files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..places import Place

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a document begins.

    Attributes:
        offset: In the file: bytes of JSONL, rows of tables.
        size_bytes: About how much text it is.
    """

    offset: int
    size_bytes: int


class Source(Protocol):
    """One kind of file."""

    def marks(self, place: Place, name: str) -> Iterator[Mark]:
        """Where the documents of a file begin, in order."""

    def records(self, place: Place, name: str, offset: int, count: int) -> Iterator[Record]:
        """So many documents from a mark's offset on; raises `InputError` if they cannot be read."""

    def where(self, place: Place, name: str, offset: int, index: int) -> str:
        """What people call the place of a document: the `index`th, from 0, from a mark's offset on."""


def source_of(name: str, cache: Path) -> Source:
    """What reads a file, by its name's end.

    Args:
        name: Of the file.
        cache: Where tables that lie in a bucket are fetched to, and packed files are unpacked.

    Raises:
        InputError: nothing does.
    """
    from . import jsonl, packed, tables, text

    if name.endswith(PACKED):
        return packed.Gzip(source_of(name.removesuffix(GZIP), cache), cache)
    if name.endswith((".jsonl", ".ndjson")):
        return jsonl.Lines()
    if name.endswith(".txt"):
        return text.Whole()
    if name.endswith(".parquet"):
        return tables.Parquet(cache)
    if name.endswith(".arrow"):
        return tables.Arrow(cache)
    raise InputError(
        f"{name}: expected .jsonl or .txt (also .gz), .parquet, or .arrow of a dataset that was saved to disk"
    )


GZIP = ".gz"
PACKED = (".jsonl.gz", ".ndjson.gz", ".txt.gz")
KNOWN = (".jsonl", ".ndjson", ".txt", ".parquet", ".arrow")
