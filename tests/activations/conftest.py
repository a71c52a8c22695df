"""Configurations of small models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 100,
    "rms_norm_eps": 1e-5,
}


@pytest.fixture
def config_in(tmp_path: Path) -> Callable[..., Path]:
    """Write a `config.json` with changes; a change to `...` leaves the key out. Returns the folder."""

    def write(**changes: Any) -> Path:
        found = {key: value for key, value in {**LLAMA, **changes}.items() if value is not ...}
        (tmp_path / "config.json").write_text(json.dumps(found))
        return tmp_path

    return write


@pytest.fixture
def numbers() -> Callable[..., np.ndarray]:
    """Float32 numbers of a shape, all different."""
    return lambda *shape: np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)
