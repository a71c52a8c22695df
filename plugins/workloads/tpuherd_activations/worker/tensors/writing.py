"""A safetensors file whose shapes are known before its numbers."""

from __future__ import annotations

import json
import math
import os
import struct
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from ..places.checksums import identity_of, identity_of_numbers, joined
from .numbers import KINDS, SIZES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from ..places import Identity

ALIGNMENT = 64
"""Where the numbers begin, so that every reader can use them in place."""


class TensorFile:
    """Large tensors are written by rows, small ones at the end; the same numbers make the same bytes.

    Attributes:
        path: The file.
    """

    def __init__(
        self, path: Path, shapes: Mapping[str, tuple[str, tuple[int, ...]]], about: Mapping[str, str]
    ) -> None:
        """Make the file; `shapes` has kind and shape by name, `about` what the header says besides."""
        head, places = _header(shapes, about)
        ends = (begin + SIZES[kind] * math.prod(shape) for begin, kind, shape in places.values())
        self.path, self._places = path, places
        self._pieces = {0: identity_of_numbers(np.frombuffer(head, np.uint8))}
        with path.open("wb") as stream:
            stream.write(head)
            stream.truncate(max(ends, default=len(head)))
        self._file = os.open(path, os.O_WRONLY)  # kept: another worker's sweep may remove the name
        self._released = finalize(self, os.close, self._file)

    @cached_property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """The numbers by name, to be filled in any order, zero at first; `close` writes them."""
        return {name: np.zeros(shape, KINDS[kind]) for name, (_, kind, shape) in self._places.items()}

    def write(self, rows: Mapping[int, NDArray[Any]], name: str) -> None:
        """Write rows of a tensor, by the number of the first; they are not kept in memory."""
        begin, kind, shape = self._places[name]
        each = SIZES[kind] * math.prod(shape[1:])
        for first, numbers in rows.items():
            if not numbers.size:
                continue
            data, offset = np.ascontiguousarray(numbers, KINDS[kind]), begin + first * each
            _written(self._file, data, offset)
            self._pieces[offset] = identity_of_numbers(data)

    def close(self) -> None:
        """Write what is still in memory; `write` is over."""
        for name, numbers in self.__dict__.pop("tensors", {}).items():
            self.write({0: numbers}, name)
        self._released()

    def identity(self) -> Identity:
        """Length and checksum of the closed file, which is read unless all rows were written."""
        offsets = sorted(self._pieces)
        pieces = [self._pieces[offset] for offset in offsets]
        ends = accumulate(piece.size_bytes for piece in pieces)
        whole = [*offsets, self.path.stat().st_size] == [0, *ends]
        return joined(pieces) if whole else identity_of(self.path)


def _written(file: int, numbers: NDArray[Any], offset: int) -> None:
    left = numbers.data.cast("B")
    while left:
        count = os.pwrite(file, left, offset)
        left, offset = left[count:], offset + count


def _header(
    shapes: Mapping[str, tuple[str, tuple[int, ...]]], about: Mapping[str, str]
) -> tuple[bytes, dict[str, tuple[int, str, tuple[int, ...]]]]:
    entries: dict[str, Any] = {"__metadata__": dict(sorted(about.items()))}
    end = 0
    for name, (kind, shape) in shapes.items():
        begin, end = end, end + SIZES[kind] * math.prod(shape)
        entries[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [begin, end]}
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % ALIGNMENT)
    start = len(text) + 8
    places = {
        name: (start + entries[name]["data_offsets"][0], kind, shape)
        for name, (kind, shape) in shapes.items()
    }
    return struct.pack("<Q", len(text)) + text, places
