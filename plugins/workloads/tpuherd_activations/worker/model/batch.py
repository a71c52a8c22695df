"""A batch on the devices: the tokens' documents and places, and what follows from them for all layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ..errors import BatchError
from .numerics import turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..architecture import Architecture
    from ..architecture.rope import Rope


class Rows(NamedTuple):
    """What all layers need to know of a batch.

    Attributes:
        segments: [rows, length], int32.
        turns: For each kind of rotary embedding the cosines and sines, [rows, length, head_dim / 2], float32.
    """

    segments: jax.Array
    turns: tuple[tuple[jax.Array, jax.Array], ...]


def rows_of(ropes: Sequence[Rope], head_dim: int, segments: jax.Array, positions: jax.Array) -> Rows:
    """Compute it; segments and positions are [rows, length], int32."""
    return Rows(segments, tuple(turns(rope, positions, head_dim) for rope in ropes))


def positions_of(segments: NDArray[np.int32]) -> NDArray[np.int32]:
    """Each token's place in its document, [rows, length], if documents start within their row."""
    places = np.broadcast_to(np.arange(segments.shape[1], dtype=np.int32), segments.shape)
    opens = np.zeros_like(segments, dtype=np.int32)
    changed = segments[:, 1:] != segments[:, :-1]
    opens[:, 1:][changed] = places[:, 1:][changed]
    return np.asarray(places - np.maximum.accumulate(opens, axis=1), dtype=np.int32)


def checked(
    architecture: Architecture, tokens: ArrayLike, segments: ArrayLike, positions: ArrayLike | None
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """The three as int32 arrays of one shape.

    Raises:
        BatchError: they have other shapes, or hold what the model has no use for.
    """
    ids, owners = _whole("tokens", tokens), _whole("segments", segments)
    places = positions_of(owners) if positions is None else _whole("positions", positions)
    for name, some in (("segments", owners), ("positions", places)):
        if some.shape != ids.shape:
            raise BatchError(f"{name}: expected the tokens' shape {list(ids.shape)}, got {list(some.shape)}")
    _within("tokens", ids, architecture.vocabulary)
    longest = [layer.rope.longest for layer in architecture.layers if layer.rope.longest is not None]
    _within("positions", places, min(longest, default=np.iinfo(np.int32).max))
    return ids, owners, places


def _whole(name: str, values: ArrayLike) -> NDArray[np.int32]:
    found: NDArray[Any] = np.asarray(values)
    if found.ndim != 2 or 0 in found.shape or not np.issubdtype(found.dtype, np.integer):
        raise BatchError(
            f"{name}: expected whole numbers [rows, length], got {found.dtype} {list(found.shape)}"
        )
    return found.astype(np.int32)


def _within(name: str, values: NDArray[np.int32], limit: int) -> None:
    if values.min() < 0 or values.max() >= limit:
        wrong = values[(values < 0) | (values >= limit)][0]
        raise BatchError(f"{name}: {wrong} is out of range, the model takes 0 to {limit - 1}")


def embedded(table: jax.Array, tokens: jax.Array, scale: float) -> jax.Array:
    """What enters the first block, [rows, length, d_model]; the scale is rounded first, as Gemma has it."""
    found = jnp.take(table, tokens, axis=0)
    return found if scale == 1 else found * jnp.asarray(scale, table.dtype)
