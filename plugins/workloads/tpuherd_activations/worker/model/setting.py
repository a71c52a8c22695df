"""The one setting of the mesh: `auto`, or sizes by name, as in `data=2,tensor=4`; no JAX in here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import MeshError

if TYPE_CHECKING:
    from ..architecture import Architecture

AUTO = "auto"
AXES = ("data", "fsdp", "tensor")
SHARE = 0.6
"""Of a device's memory for weights; the rest is for what is computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshShape:
    """How many devices each axis has.

    Attributes:
        data: Copies of the model, each with its own rows.
        fsdp: Devices with their own rows that share the weights and fetch them layer by layer.
        tensor: Devices that compute the same rows together, each its heads and its part of the MLP.
    """

    data: int
    fsdp: int
    tensor: int

    def __str__(self) -> str:
        return f"data={self.data},fsdp={self.fsdp},tensor={self.tensor}"

    @property
    def devices(self) -> int:
        """How many there are in all."""
        return self.data * self.fsdp * self.tensor


def shape(
    setting: str, architecture: Architecture, devices: int, weights_bytes: int, memory_bytes: int | None
) -> MeshShape:
    """Decide the mesh.

    Args:
        setting: `auto` or sizes by name; `data` is what the others leave if left out, others are 1.
        architecture: Of the model.
        devices: How many there are.
        weights_bytes: Of all parameters that are used.
        memory_bytes: Of one device; None if it is not known, as on CPUs.

    Raises:
        MeshError: the setting is wrong, or the model or the devices cannot be divided so.
    """
    if setting == AUTO:
        return _auto(architecture, devices, weights_bytes, memory_bytes)
    return _checked(_parsed(setting, devices), architecture, devices)


def _auto(
    architecture: Architecture, devices: int, weights_bytes: int, memory_bytes: int | None
) -> MeshShape:
    """Copies if they fit; else as few devices per copy as hold it, `tensor` as far as the heads allow."""
    needed = 1 if memory_bytes is None else math.ceil(weights_bytes / (SHARE * memory_bytes))
    parts = next((size for size in range(1, devices + 1) if devices % size == 0 and size >= needed), devices)
    tensor = math.gcd(parts, math.gcd(architecture.kv_heads, architecture.inner))
    return MeshShape(data=devices // parts, fsdp=parts // tensor, tensor=tensor)


def _parsed(setting: str, devices: int) -> MeshShape:
    sizes: dict[str, int] = {}
    for word in setting.split(","):
        name, _, size = word.strip().partition("=")
        if name not in AXES or not size.isdigit() or int(size) < 1 or name in sizes:
            raise MeshError(
                f"mesh {setting!r}: {word.strip()!r}: expected {AUTO}, or sizes as in data=2,fsdp=2,tensor=2"
            )
        sizes[name] = int(size)
    others = sizes.get("fsdp", 1) * sizes.get("tensor", 1)
    left = max(devices // others, 1)
    return MeshShape(data=sizes.get("data", left), fsdp=sizes.get("fsdp", 1), tensor=sizes.get("tensor", 1))


def _checked(found: MeshShape, architecture: Architecture, devices: int) -> MeshShape:
    if found.devices != devices:
        raise MeshError(f"mesh {found}: these are {found.devices} devices, there are {devices}")
    for name, length in (("key heads", architecture.kv_heads), ("MLP's width", architecture.inner)):
        if length % found.tensor:
            raise MeshError(
                f"mesh {found}: tensor={found.tensor} does not divide the model's {name} ({length})"
            )
    if architecture.width % found.fsdp:
        raise MeshError(
            f"mesh {found}: fsdp={found.fsdp} does not divide the model's width ({architecture.width})"
        )
    return found
