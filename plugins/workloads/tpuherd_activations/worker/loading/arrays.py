"""From files to sharded arrays on the devices, one array at a time: the host never holds two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import CheckpointError

if TYPE_CHECKING:
    import jax
    from numpy.typing import DTypeLike, NDArray

    from ..model.meshes import Placement
    from .checkpoint import Checkpoint
    from .leaves import Leaf

PREFIXES = ("model.", "", "language_model.model.", "model.language_model.")
"""Before the names of tensors: text models, bare ones, and the text part of multimodal ones, old and new."""
MARK = "embed_tokens.weight"


@dataclass(frozen=True, slots=True)
class Source:
    """Where parameters come from and what they become.

    Attributes:
        checkpoint: The files.
        prefix: Before the names of tensors in there.
        placement: Where they go.
        dtype: What their numbers become.
    """

    checkpoint: Checkpoint
    prefix: str
    placement: Placement
    dtype: DTypeLike

    def array(self, leaf: Leaf) -> jax.Array:
        """Read one array and send each device its part."""
        import jax

        host = self._host(leaf)
        return jax.make_array_from_callback(
            leaf.shape, self.placement.weight(leaf.axes, leaf.shape), lambda index: host[index]
        )

    def _host(self, leaf: Leaf) -> NDArray[Any]:
        import numpy as np

        whole: NDArray[Any] = np.empty(leaf.shape, self.dtype)
        begin = 0
        for part in leaf.parts:
            numbers = self.checkpoint.find(self.prefix + part.name, part.shape).read()
            end = begin + part.view[leaf.axis]
            whole[(slice(None),) * leaf.axis + (slice(begin, end),)] = numbers.reshape(part.view)
            begin = end
        return whole


def prefix_of(checkpoint: Checkpoint) -> str:
    """What stands before the names of tensors.

    Raises:
        CheckpointError: the embedding table has none of the names under which it is known.
    """
    for prefix in PREFIXES:
        if prefix + MARK in checkpoint.tensors:
            return prefix
    some = ", ".join(sorted(checkpoint.tensors)[:3]) or "nothing"
    names = ", ".join(prefix + MARK for prefix in PREFIXES)
    raise CheckpointError(
        f"{checkpoint.folder}: no file has the tensor {names.replace(', ', ' or ')}; there is {some} …"
    )
