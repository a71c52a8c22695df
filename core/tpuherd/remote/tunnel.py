"""A port of a worker on this machine: SSH carries every connection to it."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from tpuherd.errors import RemoteError
from tpuherd.remote.known_hosts import KnownHosts
from tpuherd.remote.link import Link

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tpuherd.model.allocation import Worker
    from tpuherd.model.cloud import SshAccess
    from tpuherd.remote.dialer import Dialer

HERE = "127.0.0.1"
OPEN_S = 20.0
CHUNK_BYTES = 1 << 16


class Tunnel:
    """Listens on this machine's loopback, and nowhere else; has an SSH connection of its own.

    The connection is made when somebody comes, and again if it was lost. Whatever fails then is told to
    `note`, and ends only the connection of who came.
    """

    def __init__(
        self, worker: Worker, access: SshAccess, known_hosts: Path, port: int, note: Callable[[str], None]
    ) -> None:
        self.worker = worker
        self.port = port
        self._access = access
        self._known_hosts = known_hosts
        self._note = note
        self._link = Link(worker, OPEN_S)
        self._made: Dialer | None = None
        self._lock = threading.Lock()
        self._listener: socket.socket | None = None

    def listen(self, local_port: int) -> int:
        """Listen on a port of this machine, 0 for any that is free; returns which.

        Raises:
            RemoteError: it is taken, or only root may use it.
        """
        try:
            self._listener = socket.create_server((HERE, local_port), backlog=16)
        except OSError as error:
            raise RemoteError(
                f"port {local_port} of this machine cannot be used: {error.strerror}"
            ) from error
        threading.Thread(target=self._serve, args=(self._listener,), name="tunnel", daemon=True).start()
        return int(self._listener.getsockname()[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening, and end all connections."""
        if self._listener is not None:
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for somebody
            self._listener.close()
        self._link.close()

    def _serve(self, listener: socket.socket) -> None:
        while True:
            try:
                visitor, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(visitor,), name="tunnel", daemon=True).start()

    def _carry(self, visitor: socket.socket) -> None:
        with visitor:
            try:
                channel = self._channel()
            except RemoteError as error:
                self._note(f"{self.worker.name} port {self.port}: {error}")
                return
            _join(visitor, channel)

    def _channel(self) -> Any:
        """To the worker's loopback or, if nobody listens there, to its address among workers."""
        import paramiko

        connection = self._link.connect(self._dialer(), time.monotonic() + OPEN_S)
        for address in (HERE, self.worker.internal_address):
            try:
                return connection.transport.open_channel(
                    "direct-tcpip", (address, self.port), (HERE, 0), timeout=OPEN_S
                )
            except paramiko.ChannelException:
                continue
            except (EOFError, OSError, paramiko.SSHException) as error:
                raise RemoteError(f"its connection was lost: {error}") from error
        raise RemoteError("nobody listens there, or the worker's SSH server forwards nothing")

    def _dialer(self) -> Dialer:
        from tpuherd.remote.dialer import Dialer

        with self._lock:
            if self._made is None:
                self._made = Dialer(self._access, KnownHosts(self._known_hosts))
            return self._made


def _join(visitor: socket.socket, channel: Any) -> None:
    """Copy both ways until both sides have said all."""
    back = threading.Thread(target=_copy, args=(channel, visitor), name="tunnel", daemon=True)
    back.start()
    _copy(visitor, channel)
    back.join()
    channel.close()


def _copy(source: Any, target: Any) -> None:
    """Copy until the source ends; then the target hears no more, and may still speak."""
    with suppress(OSError, EOFError):  # one of them hung up
        while data := source.recv(CHUNK_BYTES):
            target.sendall(data)
    with suppress(OSError, EOFError):
        target.shutdown(socket.SHUT_WR)
