"""Finding this user's holder, and starting it if there is none."""

from __future__ import annotations

import fcntl
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tpuherd.holder import place, sockets

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_unusable: list[str] = []
"""Why this process asks no holder any more: one failure is enough, it is only there to save time."""


def reach_holder() -> socket.socket:
    """A connection to the holder; it is started if it does not run.

    The holder's socket is there before its process is: whoever comes second, however soon, finds it.

    Raises:
        OSError: there is none to be had.
        ConfigError: `TPUHERD_HOLDER_IDLE_S` is no number.
    """
    idle_s = place.idle_s()
    if not idle_s or _unusable:
        raise OSError(_unusable[0] if _unusable else "none is wanted")
    try:
        path = place.folder() / place.socket_name()
        return running(path) or _start(path, idle_s)
    except OSError as error:
        give_up(str(error))
        raise


def give_up(why: str) -> None:
    """Ask no holder any more in this process."""
    _unusable.append(why)


def running_holders(suffix: str = ".sock") -> list[socket.socket]:
    """A connection to each holder of this user, of whatever version; files that nobody serves are removed.

    Args:
        suffix: of the sockets; other background processes have another one.
    """
    try:
        paths = sorted(place.folder().glob(f"*{suffix}"))
    except OSError:
        return []
    found = [running(path) or _swept(path) for path in paths]
    return [sock for sock in found if sock]


def running(path: Path) -> socket.socket | None:
    """A connection, if somebody listens.

    Raises:
        PermissionError: somebody else does.
    """
    try:
        return sockets.connect(path)
    except (FileNotFoundError, ConnectionRefusedError):
        return None


def _swept(path: Path) -> socket.socket | None:
    with suppress(OSError), only_one(path):
        found = running(path)
        if found is None:
            path.unlink(missing_ok=True)
        return found
    return None


def _start(path: Path, idle_s: float) -> socket.socket:
    place.make_private(path.parent)
    with only_one(path):
        found = running(path)
        if found:
            return found
        path.unlink(missing_ok=True)
        with sockets.listen(path) as listener:
            words = ["tpuherd.holder", str(path), str(listener.fileno()), str(idle_s)]
            spawn(path, words, (listener.fileno(),))
            return sockets.connect(path)


def spawn(path: Path, words: Sequence[str], descriptors: tuple[int, ...] = ()) -> None:
    """Start a background process, which nobody waits for, and which outlives this one.

    Args:
        path: its socket; its log is beside it.
        words: what comes after `python -m`.
        descriptors: open files that it takes over.
    """
    import subprocess

    log_file = os.open(path.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        subprocess.Popen(
            [sys.executable, "-m", *words],
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=log_file,
            start_new_session=True,
            pass_fds=descriptors,
            cwd=path.parent,
        ).returncode = 0  # never asked for: no warning about a process that still runs
    finally:
        os.close(log_file)


@contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Nobody else starts or ends the holder of this socket meanwhile."""
    lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
