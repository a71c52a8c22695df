"""The TPU's flash attention, its steps run one by one on the CPU, gives what ours gives."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tpuherd_activations_worker.model.attention import Attention, chunked
from tpuherd_activations_worker.model.splash import splash


@pytest.mark.parametrize(("window", "soft_cap"), [(None, None), (40, 5.0)])
def test_it_sees_what_ours_sees(window: int | None, soft_cap: float | None):
    rng = np.random.default_rng(0)
    shapes = [(2, 200, 1, 2, 24), (2, 200, 1, 24), (2, 200, 1, 24)]
    arrays = [jnp.asarray(rng.normal(size=shape), jnp.float32) for shape in shapes]
    segments = jnp.asarray(np.stack([np.repeat([1, 2, 0], [90, 70, 40]), np.repeat([3], 200)]), jnp.int32)
    what = Attention(scale=0.3, soft_cap=soft_cap, window=window)
    expected = jax.jit(lambda *some: chunked(what, *some))(*arrays, segments)
    found = splash(what, *arrays, segments, interpret=True)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, atol=1e-4)
