"""Rotary embeddings: how fast each pair of a head's numbers turns with the position.

Sources of the formulas: RoFormer (arXiv 2104.09864), position interpolation (2306.15595), YaRN (2309.00071)
and the scaling of Llama 3.1, in the form in which `transformers` 5 computes them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Rope:
    """The plain rotary embedding; what scales it is a subclass.

    Attributes:
        theta: The base of the wavelengths.
        longest: Positions must stay below this; no limit if None.
    """

    theta: float
    longest: int | None = None

    @property
    def amplitude(self) -> float:
        """Sines and cosines are multiplied by this."""
        return 1.0

    def frequencies(self, head_dim: int) -> NDArray[np.float32]:
        """Radians per position, [head_dim / 2], float32."""
        import numpy as np

        exponents = np.arange(0, head_dim, 2, dtype=np.float32) / np.float32(head_dim)
        return np.asarray(1.0 / np.power(np.float32(self.theta), exponents), dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearRope(Rope):
    """All positions are divided by `factor`."""

    factor: float

    def frequencies(self, head_dim: int) -> NDArray[np.float32]:
        """Radians per position, [head_dim / 2], float32."""
        # zero-argument super() does not work in a dataclass with slots: the class is made twice
        return Rope.frequencies(self, head_dim) / self._divisor

    @property
    def _divisor(self) -> np.float32:
        import numpy as np

        return np.float32(self.factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Llama3Rope(Rope):
    """Long waves are stretched by `factor`, short ones are kept, between them it goes over smoothly.

    Attributes:
        factor: How much long waves are stretched.
        low: Waves longer than `original / low` are long.
        high: Waves shorter than `original / high` are short.
        original: Positions that the model was first trained with.
    """

    factor: float
    low: float
    high: float
    original: int

    def frequencies(self, head_dim: int) -> NDArray[np.float32]:
        """Radians per position, [head_dim / 2], float32."""
        import numpy as np

        plain = Rope.frequencies(self, head_dim)
        turns = self.original * plain / (2 * math.pi)  # within the original length
        kept = np.clip((turns - self.low) / (self.high - self.low), 0, 1)
        return np.asarray(plain * (kept + (1 - kept) / self.factor), dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class YarnRope(Rope):
    """Pairs that turn often are kept, pairs that turn seldom are stretched by `factor`.

    Attributes:
        factor: How much slow pairs are stretched.
        original: Positions that the model was first trained with.
        fast: Pairs that turn more often than this within `original` are kept.
        slow: Pairs that turn less often than this are stretched in full.
        gain: See `amplitude`.
        whole_pairs: The ends of the passage between both are rounded outwards.
    """

    factor: float
    original: int
    fast: float
    slow: float
    gain: float
    whole_pairs: bool

    @property
    def amplitude(self) -> float:
        """Sines and cosines are multiplied by this."""
        return self.gain

    def frequencies(self, head_dim: int) -> NDArray[np.float32]:
        """Radians per position, [head_dim / 2], float32."""
        import numpy as np

        plain = Rope.frequencies(self, head_dim)
        low, high = self._passage(head_dim)
        stretched = np.clip((np.arange(head_dim // 2, dtype=np.float32) - low) / (high - low), 0, 1)
        return np.asarray(plain * (1 - stretched) + plain / self.factor * stretched, dtype=np.float32)

    def _passage(self, head_dim: int) -> tuple[float, float]:
        low, high = self._pair(head_dim, self.fast), self._pair(head_dim, self.slow)
        if self.whole_pairs:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, head_dim - 1)
        return low, high + 0.001 if low == high else high

    def _pair(self, head_dim: int, turns: float) -> float:
        """Which pair turns so often within the original length."""
        return head_dim * math.log(self.original / (turns * 2 * math.pi)) / (2 * math.log(self.theta))
