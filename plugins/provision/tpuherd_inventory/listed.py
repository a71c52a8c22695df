"""Machines of a hosts file."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tpuherd.store.aliases import MachineName
from tpuherd_inventory.hosts import read_hosts
from tpuherd_inventory.machine import Endpoint, Machine

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_inventory.hosts import SliceSection


def machines_of(path: Path, zone: str) -> list[Machine]:
    """All machines of a file, in its order.

    Args:
        path: The file.
        zone: Of machines whose zone the file does not say.

    Raises:
        ConfigError: the file is wrong.
    """
    return [_machine(piece, zone) for piece in read_hosts(path).slices]


def _machine(piece: SliceSection, zone: str) -> Machine:
    endpoints = tuple(Endpoint(internal=host.address, ssh=host.ssh or host.address) for host in piece.workers)
    return Machine(
        known_as=MachineName(name=piece.name, zone=piece.zone),
        zone=piece.zone or zone,
        accelerator=piece.accelerator,
        incarnation=_incarnation(piece.name, endpoints),
        endpoints=endpoints,
        claims=tuple(f"host {endpoint.ssh}" for endpoint in endpoints),
    )


def _incarnation(name: str, endpoints: tuple[Endpoint, ...]) -> str:
    """Nobody tells when such a machine is made anew: its host keys change then, and SSH refuses it."""
    words = [name, *(f"{endpoint.internal} {endpoint.ssh}" for endpoint in endpoints)]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]
