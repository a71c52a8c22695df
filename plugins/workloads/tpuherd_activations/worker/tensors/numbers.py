"""Kinds of numbers, as safetensors calls them, and numpy's; bfloat16 is kept as its 16 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS: dict[str, np.dtype[Any]] = {
    "BF16": np.dtype("<u2"),
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
}
"""How each kind lies in memory."""
SIZES = {kind: dtype.itemsize for kind, dtype in KINDS.items()}
"""Bytes of a number."""


def as_kind(values: NDArray[Any], kind: str) -> NDArray[Any]:
    """Numbers as they are stored; bfloat16, of `ml_dtypes` or rounded to the nearest here, as bits."""
    if kind != "BF16":
        return np.asarray(values, KINDS[kind])
    if values.dtype.name == "bfloat16":
        return values.view(np.uint16)
    return _rounded(np.ascontiguousarray(values, np.float32))


def as_float32(stored: NDArray[Any], kind: str) -> NDArray[np.float32]:
    """Stored numbers as float32."""
    if kind != "BF16":
        return np.asarray(stored, np.float32)
    found: NDArray[np.float32] = (np.asarray(stored, np.uint32) << np.uint32(16)).view(np.float32)
    return found


def _rounded(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """To the nearest, ties to even; NaN stays NaN."""
    bits = values.view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    near = ((bits + np.uint32(0x7FFF) + odd) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), near).astype(np.uint16)
