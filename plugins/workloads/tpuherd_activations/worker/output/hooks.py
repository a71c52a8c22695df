"""What a hook gives for one token."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..tensors import SIZES


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """One hook of a dataset.

    Attributes:
        name: As TransformerLens has it.
        shape: Of one token.
        kind: Of the stored numbers: BF16, F16 or F32.
    """

    name: str
    shape: tuple[int, ...]
    kind: str

    @property
    def row_bytes(self) -> int:
        """Of one token."""
        return SIZES[self.kind] * math.prod(self.shape)
