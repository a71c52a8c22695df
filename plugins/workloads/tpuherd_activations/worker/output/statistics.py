"""Mean, standard deviation and mean norm per hook, from sums that every shard has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..tensors import as_float32

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from .hooks import Hook

BLOCK_BYTES = 1 << 18
"""Of stored numbers that are added up at a time: a core's cache holds them; always in the same order."""


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


def sums_of(blocks: Iterable[NDArray[Any]], hook: Hook) -> Sums:
    """Add up the stored rows of a shard, which come in blocks [rows, ...]."""
    total, squares = (np.zeros(hook.shape, np.float64) for _ in range(2))
    norm = 0.0
    for stored in blocks:
        block = as_float32(stored, hook.kind).astype(np.float64)
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
