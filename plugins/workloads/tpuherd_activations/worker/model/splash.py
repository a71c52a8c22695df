"""JAX's own flash attention for TPUs, told about documents, windows and soft caps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

if TYPE_CHECKING:
    from .attention import Attention

LANES = 128
"""Lengths and head widths are padded to multiples of this: a register's width on TPUs."""
BLOCK = 512
"""Queries and keys at a time, at most."""


def splash(
    what: Attention,
    queries: jax.Array,
    keys: jax.Array,
    values: jax.Array,
    segments: jax.Array,
    *,
    interpret: bool = False,
) -> jax.Array:
    """As `attention.chunked`, with the same shapes.

    Args:
        what: Of the layer.
        queries: [rows, length, kv, group, dim].
        keys: [rows, length, kv, dim].
        values: The same shape.
        segments: [rows, length], int32.
        interpret: Run the kernel's steps without a TPU; for tests.
    """
    from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as kernels

    rows, length, _kv, group, dim = queries.shape
    scaled = (queries.astype(jnp.float32) * what.scale).astype(queries.dtype)
    q = _padded(scaled, 1, 4).transpose(0, 2, 3, 1, 4)  # [rows, kv, group, length, dim]
    k, v = (_padded(some, 1, 3).transpose(0, 2, 1, 3) for some in (keys, values))
    owners = jnp.pad(segments, ((0, 0), (0, q.shape[3] - length)), constant_values=-1)
    size = next(block for block in (BLOCK, BLOCK // 2, LANES) if q.shape[3] % block == 0)
    attend = kernels.make_splash_mqa(
        _mask(what, q.shape[3], group),
        block_sizes=kernels.BlockSizes(block_q=size, block_kv=size, block_kv_compute=size),
        head_shards=1,
        q_seq_shards=1,
        attn_logits_soft_cap=what.soft_cap,
        interpret=interpret,
    )

    def row(q: jax.Array, k: jax.Array, v: jax.Array, owners: jax.Array) -> jax.Array:
        both = kernels.SegmentIds(q=owners, kv=owners)
        return jax.vmap(lambda q, k, v: attend(q, k, v, segment_ids=both))(q, k, v)

    found = jax.vmap(row)(q, k, v, owners).transpose(0, 3, 1, 2, 4)
    return found[:rows, :length, :, :, :dim].astype(values.dtype)


def _mask(what: Attention, length: int, group: int) -> object:
    from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks

    shape = (length, length)
    one = (
        masks.CausalMask(shape)
        if what.window is None
        else masks.LocalMask(shape, window_size=(what.window - 1, 0), offset=0)
    )
    return masks.MultiHeadMask([one] * group)


def _padded(x: jax.Array, *axes: int) -> jax.Array:
    widths = [(0, -size % LANES if axis in axes else 0) for axis, size in enumerate(x.shape)]
    return jnp.pad(x, widths)
