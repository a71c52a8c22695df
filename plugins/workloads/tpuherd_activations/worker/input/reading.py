"""All documents of a place, in order."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from .files import streams_in
from .source import source_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..places import Place
    from .source import Record


def all_records(place: Place) -> Iterator[Record]:
    """Every document of every file; raises `InputError`."""
    with tempfile.TemporaryDirectory(prefix="tpuherd-activations-") as folder:
        for name in streams_in(place):
            source = source_of(name, Path(folder))
            count = sum(1 for _mark in source.marks(place, name))
            yield from source.records(place, name, 0, count)
