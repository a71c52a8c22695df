"""A safetensors file whose shapes are known before its numbers."""

from __future__ import annotations

import json
import math
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from .numbers import KINDS, SIZES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

ALIGNMENT = 64
"""Where the numbers begin, so that every reader can use them in place."""


class TensorFile:
    """Its tensors are views of the file; the same tensors make the same bytes.

    Attributes:
        path: The file.
        tensors: The numbers by name, to be filled in any order; zero at first.
    """

    def __init__(
        self, path: Path, shapes: Mapping[str, tuple[str, tuple[int, ...]]], about: Mapping[str, str]
    ) -> None:
        """Make the file; `shapes` has kind and shape by name, `about` what the header says besides."""
        head, places = _header(shapes, about)
        ends = (begin + SIZES[kind] * math.prod(shape) for begin, kind, shape in places.values())
        self.path = path
        with path.open("wb") as stream:
            stream.write(head)
            stream.truncate(max(ends, default=len(head)))
        self.tensors: dict[str, NDArray[Any]] = {name: self._view(*place) for name, place in places.items()}

    def close(self) -> None:
        """Write what is still in memory."""
        for tensor in self.tensors.values():
            if isinstance(tensor, np.memmap):
                tensor.flush()
        self.tensors = {}

    def _view(self, begin: int, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
        if not math.prod(shape):
            return np.empty(shape, KINDS[kind])
        return np.memmap(self.path, KINDS[kind], "r+", begin, shape)


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
