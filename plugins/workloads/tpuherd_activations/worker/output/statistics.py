"""Mean, standard deviation and mean norm per hook, from sums that every shard has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..tensors import as_float32

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

BLOCK_BYTES = 1 << 22
"""Of stored numbers that are added up at a time; in a fixed order, so the sums are the same everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Over the rows of one hook, in float64.

    Attributes:
        total: [...], of the numbers.
        squares: [...], of their squares.
        norm: Of the rows' Euclidean norms.
    """

    total: NDArray[np.float64]
    squares: NDArray[np.float64]
    norm: float


def sums_of(stored: NDArray[Any], kind: str) -> Sums:
    """Add up the rows of a shard, [rows, ...]."""
    total, squares = (np.zeros(stored.shape[1:], np.float64) for _ in range(2))
    norm = 0.0
    each = max(1, BLOCK_BYTES // max(1, stored.itemsize * math.prod(stored.shape[1:])))
    for begin in range(0, len(stored), each):
        block = as_float32(stored[begin : begin + each], kind).astype(np.float64)
        total += block.sum(axis=0)
        square = block * block
        squares += square.sum(axis=0)
        norm += float(np.sqrt(square.reshape(len(block), -1).sum(axis=1)).sum())
    return Sums(total=total, squares=squares, norm=norm)


def figures(total: NDArray[Any], squares: NDArray[Any], norm: float, rows: int) -> Mapping[str, NDArray[Any]]:
    """`mean` and `std` [...] and the mean `norm` [1], float32; zeros of no rows."""
    count = max(rows, 1)
    mean = total / count
    spread = np.sqrt(np.maximum(squares / count - mean * mean, 0))
    return {
        "mean": mean.astype(np.float32),
        "std": spread.astype(np.float32),
        "norm": np.asarray([norm / count], np.float32),
    }
