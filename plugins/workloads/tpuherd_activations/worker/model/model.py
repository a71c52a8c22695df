"""A decoder on devices: choose hooks, run batches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import jax

from ..errors import BatchError, HookError
from ..hooks import Taps, choose, points
from .batch import Rows, checked

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ..architecture import Architecture
    from .meshes import Placement
    from .programs import Programs


@dataclass(frozen=True, kw_only=True)
class Model:
    """A decoder whose weights lie on the devices.

    Attributes:
        architecture: What it is.
        placement: The mesh, and how arrays lie on it.
        embedding: The table, [vocabulary, d_model].
        blocks: The parameters of the blocks that were loaded, see `loading.leaves.block`.
        final_norm: [d_model], if all blocks were loaded.
    """

    architecture: Architecture
    placement: Placement
    embedding: jax.Array
    blocks: tuple[dict[str, jax.Array], ...]
    final_norm: jax.Array | None
    programs: Programs = field(repr=False)

    def taps(self, *globs: str) -> Taps:
        """Choose hooks by name or glob, see `hooks.choose`; raises `HookError`."""
        return choose(self.architecture, globs)

    def run(
        self, tokens: ArrayLike, segments: ArrayLike, taps: Taps, positions: ArrayLike | None = None
    ) -> dict[str, jax.Array]:
        """Compute the chosen hooks, and nothing that they do not need.

        Returns at once: the arrays are there when they are used (or after `block_until_ready`).

        Args:
            tokens: [rows, length], whole numbers; the same in all processes, if there are several.
            segments: [rows, length]: which document of the row a token belongs to. A document's tokens stand
                side by side; it sees itself only. Padding, on any side, is a segment of its own, usually 0.
            taps: The hooks, from `taps`.
            positions: [rows, length]: places in the documents; counted from each document's first token in
                the row if not given.

        Returns:
            By hook [rows, length, d_model]; [rows, length, heads, head_dim] for `attn.hook_z`, [rows, length,
            d_mlp] for `mlp.hook_post`. Rows of all processes, spread over `data` and `fsdp`, other
            dimensions whole. What stands at padding is of no use.

        Raises:
            BatchError: shapes do not fit, a token or position is out of range, or the rows cannot be divided.
            HookError: a hook lies deeper than what was loaded.
        """
        if taps.blocks > len(self.blocks) or (taps.final and self.final_norm is None):
            raise HookError(f"{taps.names[-1]} needs {taps.blocks} blocks, loaded were {len(self.blocks)}")
        ids, owners, places = map(self._sent, checked(self.architecture, tokens, segments, positions))
        rows = self.programs.rows(owners, places)
        computed = self._computed(self.programs.enter(self.embedding, ids), rows, taps)
        found = {name: value for name, value in computed if name in taps.names}
        return {name: found[name] for name in taps.names}

    def _computed(self, x: jax.Array, rows: Rows, taps: Taps) -> Iterator[tuple[str, jax.Array]]:
        """All that comes up on the way, by name; what the caller does not keep is gone at once."""
        yield points.EMBED, x
        for index, layer in enumerate(self.architecture.layers[: taps.blocks]):
            yield points.block(index, points.RESID_PRE), x
            given = self.programs.block(layer, taps.computed(index))(self.blocks[index], x, rows)
            yield from ((points.block(index, name), value) for name, value in given.items())
            x = given.get(points.RESID_POST, x)
        yield points.block(taps.blocks, points.RESID_PRE), x
        if self.final_norm is not None and taps.final:
            given = self.programs.final(self.final_norm, x)
            yield from ((points.final(name), value) for name, value in given.items())

    def _sent(self, values: NDArray[np.int32]) -> jax.Array:
        rows, parts = values.shape[0], self.placement.row_parts
        if rows % parts:
            raise BatchError(
                f"{rows} rows cannot be divided over {parts} groups of devices; use a multiple of {parts}"
            )
        return jax.make_array_from_callback(values.shape, self.placement.rows(2), lambda index: values[index])
