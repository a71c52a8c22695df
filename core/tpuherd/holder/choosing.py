"""Whose connections a command uses: the one place where that is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.holder import place
from tpuherd.holder.foreseen import remember
from tpuherd.holder.target import Target

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd.model.allocation import Worker
    from tpuherd.model.cloud import SshAccess
    from tpuherd.remote import RemoteWorkers


def reach_workers(workers: Sequence[Worker], access: SshAccess, known_hosts: Path) -> RemoteWorkers:
    """All workers of an allocation: over the holder's connections, or over our own if no holder is wanted.

    Args:
        workers: of the allocation.
        access: how to log in.
        known_hosts: the job's file of host keys.

    Raises:
        ConfigError: `TPUHERD_HOLDER_IDLE_S` is no number.
    """
    if place.idle_s():
        from tpuherd.holder.workers import HeldWorkers

        return HeldWorkers(workers, access, known_hosts)
    from tpuherd.remote import RemoteWorkers

    remember(Target(workers=tuple(workers), access=access, known_hosts=known_hosts))
    return RemoteWorkers(workers, access, known_hosts)
