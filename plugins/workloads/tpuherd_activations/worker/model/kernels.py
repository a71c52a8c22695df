"""Which attention runs where: JAX's flash attention on TPUs and GPUs, ours elsewhere."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import jax
from jax.sharding import PartitionSpec

from .attention import Attention, chunked
from .meshes import DATA, FSDP, TENSOR
from .mha import mha
from .splash import splash

if TYPE_CHECKING:
    from collections.abc import Callable

    from .meshes import Placement

KERNELS: dict[str, Callable[..., jax.Array]] = {"tpu": splash, "gpu": mha}
"""By platform, where it is not `chunked`."""


def attend(
    placement: Placement,
    what: Attention,
    segments: jax.Array,
    queries: jax.Array,
    keys: jax.Array,
    values: jax.Array,
) -> jax.Array:
    """Attend, each device to its own rows and heads; shapes as in `chunked`."""
    kernel = partial(KERNELS.get(placement.platform, chunked), what)
    if placement.mesh.size == 1:
        return kernel(queries, keys, values, segments)
    split = PartitionSpec((DATA, FSDP), None, TENSOR)
    spread = jax.shard_map(
        kernel,
        mesh=placement.mesh,
        in_specs=(split, split, split, PartitionSpec((DATA, FSDP))),
        out_specs=split,
        check_vma=False,
    )
    return spread(queries, keys, values, segments)
