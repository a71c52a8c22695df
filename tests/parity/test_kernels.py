"""Accelerators' kernels become programs for these without one being there: what these cannot do is found."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from tpuherd_activations_worker.model.attention import Attention
from tpuherd_activations_worker.model.kernels import KERNELS

CALLS = {"tpu": ("tpu", "tpu_custom_call"), "gpu": ("cuda", "__gpu$xla.gpu.triton")}
"""By our name of the platform: its name when a program is made, and what it calls there."""


def shapes(dim: int, length: int) -> tuple[jax.ShapeDtypeStruct, ...]:
    """Two rows, two key heads with two query heads each."""
    array = partial(jax.ShapeDtypeStruct, dtype=jnp.bfloat16)
    key = array((2, length, 2, dim))
    return array((2, length, 2, 2, dim)), key, key, jax.ShapeDtypeStruct((2, length), jnp.int32)


@pytest.mark.parametrize(("dim", "length"), [(64, 1536), (80, 200), (128, 512)])
@pytest.mark.parametrize("platform", CALLS)
def test_kernels_are_made_for_their_platform(platform: str, dim: int, length: int):
    what: Any = Attention(scale=0.3, soft_cap=None, window=None)
    target, call = CALLS[platform]
    traced = jax.jit(partial(KERNELS[platform], what)).trace(*shapes(dim, length))
    assert call in traced.lower(lowering_platforms=(target,)).as_text()
