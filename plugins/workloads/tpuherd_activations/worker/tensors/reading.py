"""Tensors of files, read where they lie."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import CheckpointError, PlaceError
from ..loading.stored import Stored, header
from .numbers import KINDS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def tensor(file: Path, name: str) -> tuple[NDArray[Any], str]:
    """A tensor as a view of its file, and its kind of numbers.

    Raises:
        PlaceError: the file is damaged or does not have it.
    """
    found = _header(file)
    if name not in found:
        raise PlaceError(f"{file}: there is no tensor {name}; there are {', '.join(found)}")
    stored = found[name]
    if not math.prod(stored.shape):
        return np.empty(stored.shape, KINDS[stored.kind]), stored.kind
    return np.memmap(file, KINDS[stored.kind], "r", stored.offset_bytes, stored.shape), stored.kind


def tensors(file: Path) -> dict[str, NDArray[Any]]:
    """All of a file, read at once, by name; raises `PlaceError` if it is damaged."""
    found, data = _header(file), file.read_bytes()
    flat = {
        name: np.frombuffer(data, KINDS[stored.kind], math.prod(stored.shape), stored.offset_bytes)
        for name, stored in found.items()
    }
    return {name: numbers.reshape(found[name].shape) for name, numbers in flat.items()}


def tensor_names(file: Path) -> list[str]:
    """What a file has; raises `PlaceError` if it is damaged."""
    return list(_header(file))


def _header(file: Path) -> dict[str, Stored]:
    try:
        return header(file)
    except CheckpointError as error:
        raise PlaceError(str(error)) from error
