"""Safetensors files, written byte by byte: the dev environment has neither safetensors nor JAX."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np


def save(file: Path, tensors: Mapping[str, np.ndarray], kind: str = "F32") -> Path:
    """Write a safetensors file."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, numbers in tensors.items():
        end = len(data) + numbers.nbytes
        header[name] = {"dtype": kind, "shape": numbers.shape, "data_offsets": [len(data), end]}
        data += numbers.tobytes()
    words = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(words)) + words + data)
    return file
