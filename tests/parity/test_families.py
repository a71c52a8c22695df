"""Every family gives what `transformers` gives, hook by hook."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from checkpoints import CASES, make
from references import hooks_of, padded
from tpuherd_activations_worker.model.load import load

EXACT = 1e-4
"""Float32: the largest difference allowed, as a share of the largest number of the hook (or of one)."""
ROUNDED = 0.03
"""Bfloat16: the length of the difference allowed, as a share of the length of what float32 gives."""
LIKE_TORCH = 1.3
"""Bfloat16: how much farther from float32 than torch's own bfloat16 (plus a tenth of `ROUNDED`)."""
WIDTH = 300
"""More than two chunks of queries."""
LENGTHS = [300, 131, 7]


@cache
def made(name: str) -> tuple[Path, Any]:
    folder = Path(mkdtemp(prefix="tpuherd-parity-"))
    return folder, make(name, folder)


def far(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


QUICK = ["llama-llama3", "mistral", "qwen2", "qwen3", "gemma2", "gemma3"]
"""One case of each family, which `scripts/parity --quick` tries."""
OTHERS = [(name, "right") for name in CASES if name not in QUICK] + [("mistral", "left"), ("gemma3", "left")]


@pytest.mark.parametrize(
    ("name", "side"),
    [(name, "right") for name in QUICK] + [pytest.param(*case, marks=pytest.mark.slow) for case in OTHERS],
)
def test_all_hooks_in_float32(name: str, side: str):
    folder, reference = made(name)
    batch = padded(LENGTHS, WIDTH, side, 97)
    model = load(folder, dtype=jnp.float32)
    found = model.run(batch.tokens, batch.segments, model.taps("*"))
    expected = hooks_of(reference, batch)
    assert found.keys() == expected.keys()
    real = batch.segments > 0
    for hook, value in found.items():
        assert value.shape == expected[hook].shape
        assert value.dtype == jnp.float32
        wanted = expected[hook][real]
        worst = np.abs(np.asarray(value)[real] - wanted).max() / max(1.0, np.abs(wanted).max())
        assert worst < EXACT, f"{hook}: {worst:.2e}"


@pytest.mark.parametrize("name", QUICK)
def test_all_hooks_in_bfloat16(name: str):
    import torch

    folder, reference = made(name)
    batch = padded(LENGTHS, WIDTH, "right", 97)
    model = load(folder, dtype=jnp.bfloat16)
    found = model.run(batch.tokens, batch.segments, model.taps("*"))
    exact = hooks_of(reference, batch)
    try:
        torchs = hooks_of(reference.to(torch.bfloat16), batch)
    finally:
        made.cache_clear()  # the weights are rounded now
    real = batch.segments > 0
    for hook, value in found.items():
        assert value.dtype == jnp.bfloat16
        ours = far(np.asarray(value, np.float32)[real], exact[hook][real])
        theirs = far(torchs[hook][real], exact[hook][real])
        assert ours < ROUNDED, f"{hook}: {ours:.4f}, torch {theirs:.4f}"
        assert ours < LIKE_TORCH * theirs + ROUNDED / 10, f"{hook}: {ours:.4f}, torch {theirs:.4f}"
