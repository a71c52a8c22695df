"""JAX's own flash attention for GPUs, told about documents; what it cannot do is left to `chunked`."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from .attention import Attention, chunked

BLOCK = 64
"""Queries and keys at a time: with heads of 128 in bfloat16 that takes 80 KiB of a GPU's shared memory."""
WIDEST = 128
"""Of a head, for that."""


def mha(
    what: Attention,
    queries: jax.Array,
    keys: jax.Array,
    values: jax.Array,
    segments: jax.Array,
    *,
    interpret: bool = False,
) -> jax.Array:
    """As `attention.chunked`, with the same shapes.

    Windows, soft caps, float32 (whose products it rounds) and heads wider than 128 are not for this kernel.

    Args:
        what: Of the layer.
        queries: [rows, length, kv, group, dim].
        keys: [rows, length, kv, dim].
        values: The same shape.
        segments: [rows, length], int32.
        interpret: Run the kernel's steps without a GPU; for tests.
    """
    if not _fits(what, queries):
        return chunked(what, queries, keys, values, segments)
    from jax.experimental.pallas.ops.gpu import attention as kernels

    rows, length, kv, group, dim = queries.shape
    found = kernels.mha(
        _padded(queries.reshape(rows, length, kv * group, dim)),
        _padded(jnp.repeat(keys, group, axis=2)),
        _padded(jnp.repeat(values, group, axis=2)),
        _padded(segments),
        sm_scale=what.scale,
        causal=True,
        block_sizes=kernels.BlockSizes(block_q=BLOCK, block_k=BLOCK),
        interpret=interpret,
    )
    return found[:, :length].reshape(queries.shape)


def _fits(what: Attention, queries: jax.Array) -> bool:
    plain = what.window is None and what.soft_cap is None
    return plain and queries.dtype.itemsize == 2 and queries.shape[-1] <= WIDEST


def _padded(x: jax.Array) -> jax.Array:
    """The length to whole blocks; what is added comes after all that anybody sees."""
    return jnp.pad(x, ((0, 0), (0, -x.shape[1] % BLOCK)) + ((0, 0),) * (x.ndim - 2))
