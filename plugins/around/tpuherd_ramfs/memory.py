"""How much memory TPU VMs have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from tpuherd.accelerators import Accelerator
    from tpuherd.config.spec import JobSpec

GIB_PER_VM = {
    ("v3", 4): 340,
    ("v4", 4): 407,
    ("v5e", 1): 48,
    ("v5e", 4): 192,
    ("v5e", 8): 384,
    ("v5p", 4): 448,
    ("v6e", 1): 176,
    ("v6e", 4): 720,
    ("v6e", 8): 1440,
    ("tpu7x", 4): 960,
}
"""Generation and chips of a VM to its memory, by Cloud TPU's pages about each generation (November 2026).
Where nothing is said, the worker itself says it before anything is mounted."""


def require_room(spec: JobSpec, size_gib: float) -> None:
    """Refuse a folder that is larger than the memory of a machine that the job may get.

    Raises:
        ConfigError: it is.
    """
    from tpuherd.accelerators import resolve

    for shape in map(resolve, spec.tpu.accelerators):
        memory_gib = _memory_gib(shape)
        if memory_gib is not None and size_gib > memory_gib:
            raise ConfigError(
                f"ramfs.size_gib: {size_gib:g} GiB do not fit: a VM of {shape.name} has {memory_gib} GiB"
            )


def _memory_gib(shape: Accelerator) -> int | None:
    return GIB_PER_VM.get((shape.generation, shape.chips_per_worker))
