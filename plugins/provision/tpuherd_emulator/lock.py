"""One at a time, across processes."""

from __future__ import annotations

import contextlib
import fcntl
import time
from typing import IO, TYPE_CHECKING

from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TIMEOUT_S = 60.0
"""More than the longest `up` or `down` may take."""


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file; whoever dies lets it go.

    Raises:
        ProvisionError: Somebody else holds it for more than a minute.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("a") as stream:
        _wait(stream, path)
        yield


def _wait(stream: IO[str], path: Path) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not _taken(stream):
        if time.monotonic() > deadline:
            raise ProvisionError(
                f"another process has held {path} for more than {TIMEOUT_S:.0f} s; "
                f"`fuser {path}` names it: wait for it or end it, then try again"
            )
        time.sleep(0.01)


def _taken(stream: IO[str]) -> bool:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
