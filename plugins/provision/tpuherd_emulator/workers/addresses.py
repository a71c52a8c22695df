"""Loopback addresses for workers: on Linux the whole of 127.0.0.0/8 can be bound without being configured."""

from __future__ import annotations

import hashlib
import random
import socket
from typing import TYPE_CHECKING

from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from pathlib import Path

PORTS = range(30_000, 32_700)
"""Below the range that Linux takes outgoing ports from, and above that of jobs' coordinators."""


MOST = 65_000
"""Addresses of one cloud."""


class Addresses:
    """The addresses of one cloud, each free on the given ports when it is taken.

    Clouds of different folders get different networks 127.N.0.0/16, so that workloads of two clouds that both
    bind their worker's address do not meet.
    """

    def __init__(self, root: Path, ports: tuple[int, ...]) -> None:
        self._network = network(root)
        self._ports = ports
        self._taken: set[str] = set()
        self._last = 0

    def take(self) -> str:
        """Return an address that nobody uses.

        Raises:
            ProvisionError: All are in use.
        """
        for _ in range(MOST):  # on from the last one: many may be taken already
            self._last = self._last % MOST + 1
            address = f"127.{self._network}.{self._last >> 8}.{self._last & 255}"
            if address not in self._taken and all(is_free(address, port) for port in self._ports):
                self._taken.add(address)
                return address
        raise ProvisionError("no loopback address is left for a worker; delete nodes that are not needed")

    def give_back(self, address: str) -> None:
        """Make an address free for the next worker."""
        self._taken.discard(address)


def network(root: Path) -> int:
    """Return the second octet of a cloud's addresses: 1 to 254, by its folder."""
    return 1 + hashlib.sha256(bytes(root)).digest()[0] % 254


def free_port(address: str, *, besides: int = 0) -> int:
    """Return a port that can be bound on an address, and on 127.0.0.1; not the one that has a use already."""
    for port in random.sample(PORTS, len(PORTS)):  # many processes choose at the same time: never in order
        if port != besides and is_free(address, port) and is_free("127.0.0.1", port):
            return port
    raise ProvisionError(f"no free port was found on {address} between {PORTS.start} and {PORTS.stop}")


def check_port(address: str, port: int) -> int:
    """Return a port that was asked for, if workers can listen on it.

    Raises:
        ProvisionError: They cannot.
    """
    if not is_free(address, port):
        raise ProvisionError(
            f"workers cannot listen on port {port}: ports below 1024 need root, and nothing on this machine "
            "may listen on that port on all addresses; leave ssh_port out to get a free one"
        )
    return port


def is_free(address: str, port: int) -> bool:
    """True if a listener could be bound there now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True
