"""One model on the devices of several processes: the first says what to compute, and stores it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.experimental.multihost_utils import broadcast_one_to_all
from jax.sharding import NamedSharding, PartitionSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from .decoding import Decoder

END = (0, 0)
"""The shape that says that there are no more batches."""


class Together:
    """A decoder whose results every process has whole, though each computes only a part of them."""

    def __init__(self, decoder: Decoder) -> None:
        everywhere = NamedSharding(decoder.model.placement.mesh, PartitionSpec())
        self._decoder = decoder
        self._whole = jax.jit(lambda values: values, out_shardings=everywhere)
        self._agreed = True

    def __call__(self, tokens: NDArray[np.int32], segments: NDArray[np.int32]) -> Mapping[str, Any]:
        """Have a batch computed by all; for the first process."""
        self._agreed = False
        broadcast_one_to_all(np.asarray(tokens.shape, np.int32))
        found = self._computed(np.stack([tokens, segments]))
        self._agreed = True
        return found

    def follow(self, tell: Callable[[], None]) -> None:
        """Compute what the first process says, until it ends; for the others. Calls `tell` for each batch."""
        last: Mapping[str, Any] = {}
        while tuple(shape := broadcast_one_to_all(np.zeros(2, np.int32))) != END:
            now = self._computed(np.zeros((2, *shape), np.int32))
            jax.block_until_ready(last)  # no more than two batches at once
            last = now
            tell()

    def end(self) -> None:
        """Let the others end; not after an error inside a batch, where they wait for something else."""
        if self._agreed:
            broadcast_one_to_all(np.asarray(END, np.int32))

    def _computed(self, batch: NDArray[np.int32]) -> Mapping[str, Any]:
        tokens, segments = broadcast_one_to_all(batch)
        return {name: self._whole(value) for name, value in self._decoder(tokens, segments).items()}
