"""Connections that a client of the built-in SSH server opens from the worker: `ssh -L`."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any

CHUNK_BYTES = 1 << 16
CONNECT_S = 5.0
ACCEPT_S = 5.0


def connect(address: tuple[str, int]) -> socket.socket | None:
    """Connect from here, as the worker would; `None` if nobody listens there."""
    with contextlib.suppress(OSError):
        return socket.create_connection(address, CONNECT_S)
    return None


def carry(transport: Any, channel_id: int, target: socket.socket) -> None:
    """Take the channel that was granted and copy both ways, in threads of their own."""
    threading.Thread(target=_carry, args=(transport, channel_id, target), daemon=True).start()


def _carry(transport: Any, channel_id: int, target: socket.socket) -> None:
    channel = transport.accept(ACCEPT_S)
    while channel is not None and channel.get_id() != channel_id:  # sessions, which nobody takes
        channel = transport.accept(ACCEPT_S)
    with target:
        if channel is None:
            return
        target.settimeout(None)
        back = threading.Thread(target=_copy, args=(target, channel), daemon=True)
        back.start()
        _copy(channel, target)
        back.join()
        channel.close()


def _copy(source: Any, target: Any) -> None:
    with contextlib.suppress(OSError, EOFError):
        while data := source.recv(CHUNK_BYTES):
            target.sendall(data)
    with contextlib.suppress(OSError, EOFError):
        target.shutdown(socket.SHUT_WR)
