"""TPU hardware generations, and the sizes in which each of them is sold.

Collected in November 2026 from the Cloud TPU documentation and from the tables of Levanter
(`infra/ray_tpu.py`) and xpk (`system_characteristics.py`), which agree where they overlap.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One hardware generation and the sizes in which the API sells it."""

    name: str
    prefix: str
    """What accelerator names start with: `v5litepod` for the generation `v5e`."""
    cores_per_chip: int
    """TensorCores of one chip."""
    hbm_gib_per_chip: int
    name_counts_cores: bool
    """True if the number in a name counts TensorCores, false if it counts chips."""
    runtime_version: str
    """The API's runtime version by default; empty if the TPU API does not serve this generation."""
    topologies: tuple[str, ...]
    """Physical shapes of the fixed sizes, for example `2x4`, smallest first."""
    largest_cubes: int = 0
    """Most 4x4x4 cubes of one slice; 0: only the fixed sizes exist."""
    alias: str = ""
    """Another prefix that people write."""
    gke_only: bool = False


_FLAT = ("1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16")
_SMALL_3D = ("2x2x1", "2x2x2", "2x2x4", "2x4x4")

GENERATIONS: tuple[Generation, ...] = (
    Generation(
        name="v2",
        prefix="v2",
        cores_per_chip=2,
        hbm_gib_per_chip=16,
        name_counts_cores=True,
        runtime_version="tpu-ubuntu2204-base",
        topologies=("2x2", "4x4", "8x8", "8x16", "16x16"),
    ),
    Generation(
        name="v3",
        prefix="v3",
        cores_per_chip=2,
        hbm_gib_per_chip=32,
        name_counts_cores=True,
        runtime_version="tpu-ubuntu2204-base",
        topologies=("2x2", "4x4", "4x8", "8x8", "8x16", "16x16", "16x32", "32x32"),
    ),
    Generation(
        name="v4",
        prefix="v4",
        cores_per_chip=2,
        hbm_gib_per_chip=32,
        name_counts_cores=True,
        runtime_version="tpu-ubuntu2204-base",
        topologies=_SMALL_3D,
        largest_cubes=64,
    ),
    Generation(
        name="v5e",
        prefix="v5litepod",
        cores_per_chip=1,
        hbm_gib_per_chip=16,
        name_counts_cores=False,
        runtime_version="v2-alpha-tpuv5-lite",
        topologies=_FLAT,
        alias="v5e",
    ),
    Generation(
        name="v5p",
        prefix="v5p",
        cores_per_chip=2,
        hbm_gib_per_chip=95,
        name_counts_cores=True,
        runtime_version="v2-alpha-tpuv5",
        topologies=_SMALL_3D,
        largest_cubes=96,
    ),
    Generation(
        name="v6e",
        prefix="v6e",
        cores_per_chip=1,
        hbm_gib_per_chip=32,
        name_counts_cores=False,
        runtime_version="v2-alpha-tpuv6e",
        topologies=_FLAT,
    ),
    Generation(
        name="tpu7x",
        prefix="tpu7x",
        cores_per_chip=2,
        hbm_gib_per_chip=192,
        name_counts_cores=True,
        runtime_version="",
        topologies=("1x1x1", *_SMALL_3D),
        largest_cubes=144,
        gke_only=True,
    ),
)
"""All generations that a job can ask for."""
