"""Mounting the folder on all workers, and unmounting it."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd.around import LEAVE_S, do, leave
from tpuherd.envs import Recipe
from tpuherd_ramfs.config import RamfsSection

if TYPE_CHECKING:
    from tpuherd import Allocation, Job

MOUNT_S = 120.0
"""Far more than mounting takes; wiping hundreds of GiB takes seconds."""


def mount(job: Job, allocation: Allocation) -> None:
    """Have the folder everywhere, in one round trip.

    Raises:
        PrepareError: a worker may not mount, has less memory, or something else is there already.
    """
    ramfs = job.spec.section(RamfsSection)
    size_kib = "" if ramfs.size_gib is None else str(round(ramfs.size_gib * (1 << 20)))
    words = ("mount", ramfs.path, size_kib, ramfs.between_attempts, job.id, job.attempt_id)
    do(job, allocation, _recipe(words, "mounting ramfs.path", MOUNT_S))


def unmount(job: Job, allocation: Allocation) -> None:
    """Unmount what this plugin has mounted; what was in it is gone.

    Raises:
        PrepareError: it could not be unmounted.
    """
    leave(job, allocation, _recipe(("unmount",), "unmounting ramfs.path", LEAVE_S))


def _recipe(words: tuple[str, ...], action: str, timeout_s: float) -> Recipe:
    return Recipe(
        action=action,
        folder="ramfs",
        key="ramfs",
        script=files("tpuherd_ramfs").joinpath("mount.sh").read_text(),
        arguments=words,
        timeout_s=timeout_s,
    )
