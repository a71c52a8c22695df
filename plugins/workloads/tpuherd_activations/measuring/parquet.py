"""Parquet's own account of what is in a file: it stands at the end, and is all that is read."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from tpuherd_activations.measuring.compact import Compact
from tpuherd_activations.worker.errors import InputError

if TYPE_CHECKING:
    from tpuherd_activations.worker.places import Place

MAGIC = b"PAR1"
TAIL = 1 << 16
"""Bytes that are read at first; most accounts are shorter."""
ROW_GROUPS, COLUMNS, ABOUT, PATH, UNCOMPRESSED = 4, 1, 3, 3, 6
"""Field numbers of parquet.thrift, from the file down to the size of a column of a group of rows."""


def text_bytes(place: Place, name: str, size: int, field: str | None) -> int:
    """How many bytes the columns have before compression.

    Args:
        place: Where the file is.
        name: Of the file.
        size: Of the file in bytes.
        field: The column that counts; all do if it is `None` or not there.

    Raises:
        InputError: this is no Parquet file.
    """
    try:
        columns = _columns(_account(place, name, size))
    except (LookupError, TypeError, ValueError, struct.error) as error:
        raise InputError(f"{place.address}/{name}: this is no Parquet file that can be read") from error
    chosen = [found for path, found in columns if path == field]
    return sum(chosen or [found for _path, found in columns])


def _columns(account: dict[int, Any]) -> list[tuple[str, int]]:
    """Name of the outermost field and size, for each column of each group of rows."""
    about = [column[ABOUT] for group in account[ROW_GROUPS] for column in group[COLUMNS]]
    return [(column[PATH][0].decode(), column[UNCOMPRESSED]) for column in about]


def _account(place: Place, name: str, size: int) -> dict[int, Any]:
    with place.open(name) as stream:
        stream.seek(max(size - TAIL, 0))
        end = stream.read()
        length, magic = struct.unpack("<I4s", end[-8:])
        if magic != MAGIC or length + 8 > size:
            raise ValueError(magic)
        if length + 8 > len(end):
            stream.seek(size - 8 - length)
            end = stream.read()
    return Compact(end[-8 - length : -8]).struct()
