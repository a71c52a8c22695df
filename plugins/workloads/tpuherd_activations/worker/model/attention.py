"""Attention of packed rows: each token sees its own document, itself and before, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp

CHUNK = 128
"""Queries at a time, if that makes no more than `MOST_CHUNKS`."""
MOST_CHUNKS = 16
NEVER = -1e30
"""A score that counts for nothing; finite, so that a row of nothing else stays a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """What is fixed for a layer.

    Attributes:
        scale: Scores are multiplied by this.
        soft_cap: Scores are kept within this by tanh, if given.
        window: Tokens that one attends to, itself included; all before it if None.
    """

    scale: float
    soft_cap: float | None
    window: int | None

    def scores(self, queries: jax.Array, keys: jax.Array) -> jax.Array:
        """[kv, queries, group, keys], float32, of [kv, queries, group, dim] and [kv, keys, dim]."""
        found = jnp.einsum("kqgd,ksd->kqgs", queries, keys, preferred_element_type=jnp.float32) * self.scale
        return found if self.soft_cap is None else jnp.tanh(found / self.soft_cap) * self.soft_cap

    def seen(self, query_at: jax.Array, key_at: jax.Array) -> jax.Array:
        """Whether the place of a key is within reach of the place of a query, [queries, keys]."""
        behind = query_at[:, None] - key_at[None, :]
        reached = behind >= 0
        return reached if self.window is None else reached & (behind < self.window)


def chunked(
    what: Attention, queries: jax.Array, keys: jax.Array, values: jax.Array, segments: jax.Array
) -> jax.Array:
    """Attend row by row, some queries at a time, to the blocks of keys that these queries can see at all.

    The work follows the documents' lengths, not the row's: a chunk's keys start at the block in which the
    document of its first token (or the window) starts. All sizes are fixed when it is compiled.

    Args:
        what: Of the layer.
        queries: [rows, length, kv, group, dim].
        keys: [rows, length, kv, dim].
        values: The same shape.
        segments: [rows, length], int32: which document; a document's tokens stand side by side.

    Returns:
        [rows, length, kv, group, dim], of the values' type.
    """
    length = segments.shape[1]
    size = _chunk(length)
    padding = -length % size
    q = _padded(queries, padding).transpose(0, 2, 1, 3, 4)  # [rows, kv, length, group, dim]
    k, v = (_padded(some, padding).transpose(0, 2, 1, 3) for some in (keys, values))
    rows = (q, k, v, _padded(segments, padding))
    found = jax.lax.map(lambda row: _row(what, size, *row), rows)  # [rows, chunks, kv, size, group, dim]
    joined = found.transpose(0, 1, 3, 2, 4, 5).reshape(len(segments), -1, *queries.shape[2:])
    return joined[:, :length]


def _row(
    what: Attention, size: int, q: jax.Array, k: jax.Array, v: jax.Array, segments: jax.Array
) -> jax.Array:
    chunks = segments.shape[0] // size
    first = _first_blocks(what, segments, size)

    def one(chunk: jax.Array) -> jax.Array:
        reach = [partial(_span, what, size, blocks + 1) for blocks in range(chunks)]
        return jax.lax.switch(chunk - first[chunk], reach, q, k, v, segments, chunk)

    return jax.lax.map(one, jnp.arange(chunks))


def _span(
    what: Attention,
    size: int,
    blocks: int,
    q: jax.Array,
    k: jax.Array,
    v: jax.Array,
    segments: jax.Array,
    chunk: jax.Array,
) -> jax.Array:
    """One chunk of queries and the `blocks` blocks of keys that end with it; [kv, size, group, dim]."""
    end, begin = chunk * size, (chunk - blocks + 1) * size
    queries = jax.lax.dynamic_slice_in_dim(q, end, size, axis=1)
    keys = jax.lax.dynamic_slice_in_dim(k, begin, blocks * size, axis=1)
    values = jax.lax.dynamic_slice_in_dim(v, begin, blocks * size, axis=1)
    own = jax.lax.dynamic_slice_in_dim(segments, end, size)
    other = jax.lax.dynamic_slice_in_dim(segments, begin, blocks * size)
    seen = what.seen(jnp.arange(size) + end, jnp.arange(blocks * size) + begin) & (
        own[:, None] == other[None, :]
    )
    scores = jnp.where(seen[None, :, None, :], what.scores(queries, keys), NEVER)
    weights = jnp.exp(scores - jnp.max(scores, axis=-1, keepdims=True))
    mixed = jnp.einsum("kqgs,ksd->kqgd", weights.astype(v.dtype), values, preferred_element_type=jnp.float32)
    return (mixed / jnp.sum(weights, axis=-1, keepdims=True)).astype(v.dtype)


def _first_blocks(what: Attention, segments: jax.Array, size: int) -> jax.Array:
    """For each chunk the first block of keys that its first token can see, [chunks]."""
    places = jnp.arange(segments.shape[0])
    opens = jnp.where(segments != jnp.roll(segments, 1), places, 0)
    starts = jax.lax.cummax(opens.at[0].set(0))[::size]
    if what.window is not None:
        starts = jnp.maximum(starts, places[::size] - what.window + 1)
    return starts // size


def _chunk(length: int) -> int:
    """A multiple of 128, so that a row has no more than `MOST_CHUNKS`."""
    return CHUNK * max(1, -(-length // (CHUNK * MOST_CHUNKS)))


def _padded(x: jax.Array, places: int) -> jax.Array:
    return jnp.pad(x, ((0, 0), (0, places)) + ((0, 0),) * (x.ndim - 2), constant_values=0) if places else x
