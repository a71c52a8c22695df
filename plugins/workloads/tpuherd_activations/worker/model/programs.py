"""The compiled programs of a model: one for what enters, one per kind of block, one for the final norm.

A block is compiled once for each shape of batch, choice of hooks and kind of layer, not once per layer: a
model of 80 layers compiles as fast as one of two, and another choice of hooks needs few new programs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import jax

from ..hooks import points
from .attention import Attention
from .batch import Rows, embedded, rows_of
from .block import block
from .kernels import attend
from .numerics import norm, normalized

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..architecture import Architecture
    from ..architecture.architecture import Layer
    from .block import Parameters
    from .meshes import Placement

    Block = Callable[[Parameters, jax.Array, Rows], dict[str, jax.Array]]


class Programs:
    """Compiled when first called, and kept."""

    def __init__(self, architecture: Architecture, placement: Placement) -> None:
        self._of = architecture
        self._placement = placement
        self._ropes = tuple(dict.fromkeys(layer.rope for layer in architecture.layers))
        self._blocks: dict[tuple[Layer, frozenset[str]], Block] = {}
        self.rows: Callable[[jax.Array, jax.Array], Rows] = jax.jit(
            partial(rows_of, self._ropes, architecture.head_dim)
        )
        self.enter: Callable[[jax.Array, jax.Array], jax.Array] = jax.jit(self._enter)
        self.final: Callable[[jax.Array, jax.Array], dict[str, jax.Array]] = jax.jit(self._final)

    def block(self, layer: Layer, wanted: frozenset[str]) -> Block:
        """The program that gives the wanted points of such a layer."""
        key = (layer, wanted)
        if key not in self._blocks:
            self._blocks[key] = jax.jit(partial(self._block, layer, sorted(wanted)))
        return self._blocks[key]

    def _enter(self, table: jax.Array, tokens: jax.Array) -> jax.Array:
        return self._placed(embedded(table, tokens, self._of.embedding_scale))

    def _block(
        self, layer: Layer, wanted: list[str], parameters: Parameters, x: jax.Array, rows: Rows
    ) -> dict[str, jax.Array]:
        what = Attention(scale=self._of.attention_scale, soft_cap=self._of.soft_cap, window=layer.window)
        attending = partial(attend, self._placement, what, rows.segments)
        found = block(self._of, attending, rows.turns[self._ropes.index(layer.rope)], parameters, x)
        return {name: self._placed(found[name]) for name in wanted}

    def _final(self, weight: jax.Array, x: jax.Array) -> dict[str, jax.Array]:
        offset = 1.0 if self._of.unit_offset else 0.0
        found = {
            points.NORMALIZED: normalized(x, self._of.epsilon),
            points.OUT: norm(x, weight, self._of.epsilon, offset),
        }
        return {name: self._placed(value.astype(x.dtype)) for name, value in found.items()}

    def _placed(self, x: Any) -> jax.Array:
        """Rows over the devices, all else whole: what comes out is never a slice of the width."""
        return jax.lax.with_sharding_constraint(x, self._placement.rows(x.ndim))
