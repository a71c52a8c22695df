"""Statistics of hooks, in one number each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tpuherd_activations.reading.dataset import Dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of all numbers of one hook.

    Attributes:
        mean: Of all numbers.
        std: Of all numbers.
        norm: The mean Euclidean norm of a row; SAE trainers scale by it.
    """

    mean: float
    std: float
    norm: float


def figures_of(dataset: Dataset, hook: str) -> Figures:
    """From the statistics that are stored, which has a mean and a deviation for every feature."""
    found = {name: values.astype(np.float64) for name, values in dataset.statistics(hook).items()}
    mean = float(found["mean"].mean())
    squares = float((found["std"] ** 2 + found["mean"] ** 2).mean())
    return Figures(mean=mean, std=max(squares - mean**2, 0.0) ** 0.5, norm=float(found["norm"][0]))
