"""Mean, standard deviation and mean norm per hook, from sums that every shard has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..tensors import as_float32

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .hooks import Hook

BLOCK_BYTES = 1 << 19
"""Of stored numbers that are added up at a time: a core's cache holds them."""
FEW = np.ones(16, np.float32)
"""So many rows are added in float32, which is as exact as their numbers and half the work; then float64."""


class Sums:
    """Over the rows of one hook, to about 1e-7 of each.

    Attributes:
        total: [...], of the numbers.
        squares: [...], of their squares.
        norm: Of the rows' Euclidean norms.
    """

    def __init__(self, hook: Hook) -> None:
        self.total, self.squares = (np.zeros(hook.shape, np.float64) for _ in range(2))
        self.norm = 0.0
        self._kind = hook.kind

    def add(self, stored: NDArray[Any]) -> None:
        """Add rows [rows, ...] as they are stored; the same in the same order make the same bits."""
        each = max(1, BLOCK_BYTES * len(stored) // max(1, stored.nbytes))
        for first in range(0, len(stored), each):
            block = as_float32(stored[first : first + each], self._kind)
            self._add(block.reshape(len(block), -1))

    def _add(self, block: NDArray[np.float32]) -> None:
        self.norm += float(np.sqrt(np.vecdot(block, block)).sum(dtype=np.float64))
        self.total += _added(block).reshape(self.total.shape)
        self.squares += _added(block * block).reshape(self.total.shape)


def _added(block: NDArray[np.float32]) -> NDArray[np.float64]:
    """The sum of rows [rows, width]; products use what the processor has, plain sums are slower."""
    whole = len(block) // len(FEW) * len(FEW)
    few = FEW @ block[:whole].reshape(-1, len(FEW), block.shape[1])
    total: NDArray[np.float64] = few.sum(axis=0, dtype=np.float64)
    total += block[whole:].sum(axis=0, dtype=np.float64)
    return total


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
