"""About how much text a folder of documents holds."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from tpuherd_activations.measuring.parquet import text_bytes as parquet_bytes
from tpuherd_activations.worker.errors import InputError
from tpuherd_activations.worker.input.source import GZIP
from tpuherd_activations.worker.places.folder import Folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tpuherd_activations.worker.places import Place

SAMPLED = 16
"""Of many compressed files so many are looked at, and the rest is taken to be like them."""
BEGINNING = 1 << 18
"""Bytes by which a packed file is judged."""


def text_bytes(place: Place, names: Sequence[str], field: str | None) -> int:
    """Add up what files hold, unpacked; little is read of them.

    Args:
        place: Where they are.
        names: Of files of documents.
        field: The only one of their columns that is used; `None`: all are.

    Raises:
        InputError: a file is not of the kind that its name says.
        PlaceError: a file cannot be read.
    """
    sizes = _sizes(place, names)
    tables = {name: size for name, size in sizes.items() if name.endswith(".parquet")}
    packed = {name: size for name, size in sizes.items() if name.endswith(GZIP)}
    plain = sum(sizes.values()) - sum(tables.values()) - sum(packed.values())
    return (
        plain
        + _scaled(tables, lambda name, size: parquet_bytes(place, name, size, field))
        + _scaled(packed, lambda name, size: _unpacked_bytes(place, name, size))
    )


def _sizes(place: Place, names: Sequence[str]) -> dict[str, int]:
    if isinstance(place, Folder):
        return {name: (place.root / name).stat().st_size for name in names}
    return {name: found.size_bytes for name, found in place.identities(names).items()}


def _scaled(sizes: Mapping[str, int], measured: Callable[[str, int], int]) -> int:
    """The text of some files, scaled to all of them."""
    names = list(sizes)
    sample = names[:: -(-len(names) // SAMPLED) or 1]
    text = sum(measured(name, sizes[name]) for name in sample)
    return text * sum(sizes.values()) // max(sum(sizes[name] for name in sample), 1)


def _unpacked_bytes(place: Place, name: str, size: int) -> int:
    """By what the beginning becomes: the length that gzip notes at the end is only that of its last part."""
    with place.open(name) as stream:
        packed = stream.read(BEGINNING)
    try:
        return _unpacked_length(packed) * size // max(len(packed), 1)
    except zlib.error as error:
        raise InputError(f"{place.address}/{name}: cannot be unpacked: {error}") from error


def _unpacked_length(packed: bytes) -> int:
    length = 0
    while packed:
        part = zlib.decompressobj(zlib.MAX_WBITS | 16)
        length += len(part.decompress(packed))
        packed = part.unused_data.lstrip(b"\0")
    return length
