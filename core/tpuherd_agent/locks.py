"""Locks that the kernel drops when their holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def acquire(path: Path) -> int:
    """Waits for the lock and returns its descriptor, which forked children share.

    The lock is free again when the descriptor is closed in every process that has it, or `release` is called
    in one of them.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if _is_at(descriptor, path):
            return descriptor
        os.close(descriptor)  # its folder was cleaned away while we waited


def release(descriptor: int) -> None:
    """Frees the lock, also for the other processes that share the descriptor."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Holds the lock for a block; gives the descriptor, for children that shall go on holding it."""
    descriptor = acquire(path)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """True if some process holds the lock; never disturbs one that waits for it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
