"""Unix sockets between processes of one user."""

from __future__ import annotations

import os
import socket
import struct
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST_PATH = 100
_CREDENTIALS = struct.Struct("iII")
BACKLOG = 128


def connect(path: Path) -> socket.socket:
    """Connect to a socket, if a process of this user listens there.

    Raises:
        OSError: nobody does, or it is not ours.
    """
    sock = socket.socket(socket.AF_UNIX)
    try:
        with _short(path) as name:
            sock.connect(name)
        require_ours(sock)
    except BaseException:
        sock.close()
        raise
    return sock


def listen(path: Path) -> socket.socket:
    """Listen where nobody does; the socket's file is for this user only.

    Raises:
        OSError: it cannot be made.
    """
    sock = socket.socket(socket.AF_UNIX)
    try:
        with _short(path) as name:
            before = os.umask(0o177)
            try:
                sock.bind(name)
            finally:
                os.umask(before)
        sock.listen(BACKLOG)
    except BaseException:
        sock.close()
        raise
    return sock


def require_ours(sock: socket.socket) -> None:
    """Refuse a connection to a process of another user.

    Raises:
        PermissionError: it is one, or this system cannot tell.
    """
    if not hasattr(socket, "SO_PEERCRED"):
        raise PermissionError("this system does not tell whose process is at the other end")
    found = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(found)
    if uid != os.getuid():
        raise PermissionError(f"user {uid} is at the other end")


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """A name for a path that fits into the address of a socket, which has room for 107 bytes."""
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
