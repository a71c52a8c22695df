"""Opening ports of workers on this machine."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError, RemoteError
from tpuherd.remote.tunnel import HERE, Tunnel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tpuherd.config.ports import Port
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.cloud import SshAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPort:
    """A port of a worker, and where it is here."""

    worker: int
    port: int
    local_port: int

    @property
    def url(self) -> str:
        """For browsers; programs take its last part."""
        return f"http://{HERE}:{self.local_port}"


@contextmanager
def open_ports(
    ports: Sequence[Port],
    allocation: Allocation,
    ssh: SshAccess,
    known_hosts: Path,
    note: Callable[[str], None],
) -> Iterator[tuple[OpenPort, ...]]:
    """Have ports of workers on this machine for the length of the block.

    Args:
        ports: which.
        allocation: its workers.
        ssh: how to reach them.
        known_hosts: the file with their host keys.
        note: told about connections that fail.

    Raises:
        ConfigError: there is no such worker.
        RemoteError: a local port that was asked for cannot be used.
    """
    with ExitStack() as stack:
        found = []
        for one in ports:
            if one.worker >= len(allocation.workers):
                raise ConfigError(
                    f"there is no worker {one.worker}: the job has 0 to {len(allocation.workers) - 1}"
                )
            worker = allocation.workers[one.worker]
            tunnel = stack.enter_context(Tunnel(worker, ssh, known_hosts, one.port, note))
            found.append(OpenPort(worker=one.worker, port=one.port, local_port=_listen(tunnel, one)))
        yield tuple(found)


def _listen(tunnel: Tunnel, one: Port) -> int:
    """On the same port as the worker's, or on any if that is taken; only on that one if it was asked for."""
    if one.local_port is not None:
        return tunnel.listen(one.local_port)
    try:
        return tunnel.listen(one.port)
    except RemoteError:
        return tunnel.listen(0)
