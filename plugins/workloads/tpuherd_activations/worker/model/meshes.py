"""How the devices are arranged: rows of a batch over `data` and `fsdp`, weights over `fsdp` and `tensor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ..errors import MeshError
from ..loading import leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    import jax

    from .setting import MeshShape

DATA, FSDP, TENSOR = "data", "fsdp", "tensor"
_MEANING: dict[str | None, tuple[str, ...]] = {
    leaves.HEADS: (TENSOR,),
    leaves.INNER: (TENSOR,),
    leaves.WIDTH: (FSDP,),
    leaves.SPREAD: (FSDP, TENSOR),
    None: (),
}


@dataclass(frozen=True)
class Placement:
    """Where arrays go on a mesh.

    Attributes:
        mesh: With the axes `data`, `fsdp` and `tensor`.
    """

    mesh: Mesh

    def __str__(self) -> str:
        return ",".join(f"{name}={size}" for name, size in self.mesh.shape.items())

    @property
    def platform(self) -> str:
        """What the devices are: `cpu`, `gpu` or `tpu`."""
        return str(self.mesh.devices.flat[0].platform)

    @property
    def row_parts(self) -> int:
        """The number of rows of a batch must be a multiple of this."""
        return int(self.mesh.shape[DATA] * self.mesh.shape[FSDP])

    @property
    def abreast(self) -> int:
        """Batches to compute at the same time: the cores of a CPU wait for one another within each.

        Not on several devices, where all have to see the programs that exchange data in one order.
        """
        return 2 if self.platform == "cpu" and self.mesh.size == 1 else 1

    def weight(self, axes: Sequence[str | None], shape: Sequence[int]) -> NamedSharding:
        """For parameters, by what their dimensions mean; what cannot be split evenly is kept whole."""
        return NamedSharding(self.mesh, PartitionSpec(*map(self._split, axes, shape)))

    def rows(self, dimensions: int) -> NamedSharding:
        """For arrays of `dimensions` dimensions whose first is the batch's rows; the others are whole."""
        return NamedSharding(self.mesh, PartitionSpec((DATA, FSDP), *(None,) * (dimensions - 1)))

    def _split(self, axis: str | None, length: int) -> tuple[str, ...] | None:
        names = _MEANING[axis]
        parts = 1
        for name in names:
            parts *= self.mesh.shape[name]
        return names if parts > 1 and length % parts == 0 else None


def build(shape: MeshShape, devices: Sequence[jax.Device]) -> Placement:
    """Arrange devices so that `tensor`, which talks most, has the nearest neighbours.

    Raises:
        MeshError: the shape does not use exactly these devices.
    """
    from jax.experimental import mesh_utils

    sizes = (shape.data, shape.fsdp, shape.tensor)
    if shape.devices != len(devices):
        raise MeshError(f"mesh {shape}: these are {shape.devices} devices, there are {len(devices)}")
    return Placement(Mesh(mesh_utils.create_device_mesh(sizes, list(devices)), (DATA, FSDP, TENSOR)))
