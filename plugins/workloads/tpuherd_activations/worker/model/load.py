"""Loading a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from ..architecture import read
from ..loading import leaves
from ..loading.arrays import Source, prefix_of
from ..loading.checkpoint import open_checkpoint
from .meshes import Placement, build
from .model import Model
from .programs import Programs
from .setting import AUTO, shape

if TYPE_CHECKING:
    from jax.typing import DTypeLike

    from ..architecture import Architecture


def load(
    path: str | Path, mesh: str = AUTO, dtype: DTypeLike = jnp.bfloat16, blocks: int | None = None
) -> Model:
    """Read a Hugging Face checkpoint onto all devices.

    Args:
        path: A folder with `config.json` and safetensors files.
        mesh: `auto`, or sizes such as `data=2,tensor=4`, see `setting.shape`.
        dtype: Of the weights and of what is computed; sums are float32.
        blocks: How many blocks to read, see `Taps.blocks`; all, and the final norm, if None.

    Raises:
        ConfigurationError: `config.json` asks for something that is not supported.
        CheckpointError: tensors are missing, damaged or of other shapes.
        MeshError: the devices cannot be arranged so.
    """
    folder = Path(path)
    architecture = read(folder)
    count = len(architecture.layers) if blocks is None else blocks
    placement = place(architecture, mesh, architecture.parameters(count) * jnp.dtype(dtype).itemsize)
    checkpoint = open_checkpoint(folder)
    source = Source(checkpoint, prefix_of(checkpoint), placement, dtype)
    return Model(
        architecture=architecture,
        placement=placement,
        embedding=source.array(leaves.embedding(architecture)),
        blocks=tuple(_block(source, architecture, index) for index in range(count)),
        final_norm=source.array(leaves.final_norm(architecture)) if blocks is None else None,
        programs=Programs(architecture, placement),
    )


def place(architecture: Architecture, mesh: str, weights_bytes: int) -> Placement:
    """Arrange all devices, see `setting.shape`; raises `MeshError`."""
    devices = jax.devices()
    found = shape(mesh, architecture, len(devices), weights_bytes, _memory_bytes(jax.local_devices()[0]))
    return build(found, devices)


def _block(source: Source, architecture: Architecture, index: int) -> dict[str, jax.Array]:
    return {name: source.array(leaf) for name, leaf in leaves.block(architecture, index).items()}


def _memory_bytes(device: jax.Device) -> int | None:
    """Of one device, if it says so; CPUs do not."""
    limit = (device.memory_stats() or {}).get("bytes_limit")
    return None if limit is None else int(limit)
