"""Tables that pyarrow reads: Parquet, and the Arrow files of a dataset that `datasets` has saved to disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .source import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..places import Place
    from .source import Record

ROWS = 1024
"""Of a table in memory at a time."""


class _Table:
    def where(self, _place: Place, _name: str, offset: int, index: int) -> str:
        """See `Source.where`: rows are counted from 0, as pyarrow does."""
        return f"row {offset + index}"


class Parquet(_Table):
    """Offsets are rows; only the row groups of a part are read."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def marks(self, place: Place, name: str) -> Iterator[Mark]:
        """See `Source.marks`; a document's size is the mean of its row group."""
        offset = 0
        for group in self._groups(place, name):
            mean = group.total_byte_size // max(group.num_rows, 1)
            yield from (Mark(offset + row, mean) for row in range(group.num_rows))
            offset += group.num_rows

    def records(self, place: Place, name: str, offset: int, count: int) -> Iterator[Record]:
        """See `Source.records`."""
        table = self._open(place, name)
        wanted, skip = _row_groups(self._groups(place, name), offset, count)
        for batch in table.iter_batches(ROWS, row_groups=wanted):
            found = batch.slice(skip, count).to_pylist()
            skip, count = max(0, skip - batch.num_rows), count - len(found)
            yield from found

    def _groups(self, place: Place, name: str) -> list[Any]:
        about = self._open(place, name).metadata
        return [about.row_group(index) for index in range(about.num_row_groups)]

    def _open(self, place: Place, name: str) -> Any:
        return _pyarrow("pyarrow.parquet", name).ParquetFile(place.local(name, self._cache))


class Arrow(_Table):
    """Offsets are rows; the file is mapped, not read."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def marks(self, place: Place, name: str) -> Iterator[Mark]:
        """See `Source.marks`; a document's size is the mean of its batch."""
        offset = 0
        for batch in self._batches(place, name):
            mean = batch.nbytes // max(batch.num_rows, 1)
            yield from (Mark(offset + row, mean) for row in range(batch.num_rows))
            offset += batch.num_rows

    def records(self, place: Place, name: str, offset: int, count: int) -> Iterator[Record]:
        """See `Source.records`."""
        for batch in self._batches(place, name):
            found = batch.slice(min(offset, batch.num_rows), count).to_pylist()
            offset, count = max(0, offset - batch.num_rows), count - len(found)
            yield from found

    def _batches(self, place: Place, name: str) -> Iterator[Any]:
        arrow = _pyarrow("pyarrow", name)
        with arrow.memory_map(str(place.local(name, self._cache))) as mapped:
            yield from arrow.ipc.open_stream(mapped)


def _row_groups(groups: list[Any], offset: int, count: int) -> tuple[list[int], int]:
    """The row groups that hold some rows, and how many rows of the first are before them."""
    wanted: list[int] = []
    begin = skip = 0
    for index, group in enumerate(groups):
        end = begin + group.num_rows
        if begin < offset + count and offset < end:
            skip = skip if wanted else offset - begin
            wanted.append(index)
        begin = end
    return wanted, skip


def _pyarrow(module: str, name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(f"{name}: reading it needs pyarrow; add it to the job's environment") from error
