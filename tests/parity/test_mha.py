"""The GPU's flash attention, its steps run one by one on the CPU, gives what ours gives."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tpuherd_activations_worker.model.attention import Attention, chunked
from tpuherd_activations_worker.model.mha import mha

PLAIN = {"scale": 0.3, "soft_cap": None, "window": None}


def inputs(dtype: Any, dim: int) -> tuple[jax.Array, ...]:
    """Two rows of 200 tokens, two key heads with two query heads each."""
    rng = np.random.default_rng(0)
    shapes = [(2, 200, 2, 2, dim), (2, 200, 2, dim), (2, 200, 2, dim)]
    segments = np.stack([np.repeat([1, 2, 0], [90, 70, 40]), np.repeat([3], 200)])
    arrays = (jnp.asarray(rng.normal(size=shape), dtype) for shape in shapes)
    return (*arrays, jnp.asarray(segments, jnp.int32))


@pytest.mark.parametrize("dim", [24, 64])
def test_it_sees_what_ours_sees(dim: int):
    given, what = inputs(jnp.bfloat16, dim), Attention(**PLAIN)
    exact = [array.astype(jnp.float32) for array in given[:3]]
    expected = jax.jit(lambda *some: chunked(what, *some))(*exact, given[3])
    found = mha(what, *given, interpret=True)
    assert (found.shape, found.dtype) == (expected.shape, jnp.bfloat16)
    np.testing.assert_allclose(np.asarray(found, np.float32), expected, atol=2e-2)


@pytest.mark.parametrize("more", [{"window": 40}, {"soft_cap": 5.0}, {"dtype": jnp.float32}, {"dim": 160}])
def test_what_it_cannot_do_is_computed_by_ours(more: dict[str, Any]):
    given = inputs(more.get("dtype", jnp.bfloat16), more.get("dim", 24))
    what = Attention(**PLAIN | {key: value for key, value in more.items() if key in PLAIN})
    assert np.array_equal(mha(what, *given, interpret=True), chunked(what, *given))
