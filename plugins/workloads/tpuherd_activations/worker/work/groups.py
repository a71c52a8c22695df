"""Which workers hold one copy of the model: each its own, or those of a slice together; no JAX in here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..architecture import read
from ..hooks import choose
from ..model.setting import SHARE
from ..places import open_place

if TYPE_CHECKING:
    from pathlib import Path

    from .settings import Settings

BYTES = {"bfloat16": 2, "float32": 4}
ALONE = {"TPU_PROCESS_BOUNDS": "1,1,1", "TPU_CHIPS_PER_PROCESS_BOUNDS": "2,2,1", "CLOUD_TPU_TASK_ID": "0"}
"""For libtpu on a slice of several workers: each has its own chips, and does not wait for the others."""
START_S = 300
"""For all workers of a slice to begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Workers that make parts of a dataset together; the first of them claims and writes.

    Attributes:
        index: Of the group.
        groups: How many there are.
        member: Which of the group's workers this one is.
        members: How many the group has.
        coordinator: Address of the first one's JAX coordinator.
    """

    index: int
    groups: int
    member: int = 0
    members: int = 1
    coordinator: str = ""


def group_of(settings: Settings, worker: int, workers: int, scratch: Path) -> Group:
    """The group of a worker.

    Raises:
        ConfigurationError: auto, and `config.json` is not as it should be.
        PlaceError: auto, and it cannot be fetched.
    """
    if not _together(settings, scratch):
        return Group(index=worker, groups=workers)
    for index, (coordinator, members) in enumerate(settings.slices):
        if worker < members:
            return Group(
                index=index,
                groups=len(settings.slices),
                member=worker,
                members=members,
                coordinator=coordinator,
            )
        worker -= members
    raise ValueError(f"worker {worker} is of no slice")


def join(group: Group, settings: Settings) -> None:
    """Before JAX is used: make the processes of a group one, or keep those of a slice apart."""
    if group.members > 1:
        import jax

        jax.distributed.initialize(
            group.coordinator, group.members, group.member, initialization_timeout=START_S
        )
    elif settings.devices == "tpu" and any(members > 1 for _, members in settings.slices):
        for name, value in ALONE.items():
            os.environ.setdefault(name, value)


def _together(settings: Settings, scratch: Path) -> bool:
    if settings.span != "auto" or not settings.worker_memory_bytes:
        return settings.span == "slice"
    return _weights_bytes(settings, scratch) > SHARE * settings.worker_memory_bytes


def _weights_bytes(settings: Settings, scratch: Path) -> int:
    """Of what the hooks need, as loaded."""
    config = open_place(settings.model).local("config.json", scratch / "config")
    architecture = read(config.parent)
    taps = choose(architecture, settings.hooks)
    return architecture.parameters(taps.blocks) * BYTES[settings.dtype]
