"""Files that are there completely or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_private(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace a file at once; no reader ever sees half of it, no other user sees any of it."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
    partial.replace(path)


def discard(path: Path, heap: Path) -> None:
    """Make a folder vanish at once; a process of its own then deletes its files.

    The environments of four workers are a hundred thousand files, and deleting them takes seconds.

    Args:
        path: What is to go; it need not exist.
        heap: A folder on the same file system for what is being deleted; what an interrupted deletion
            has left in it goes, too.
    """
    heap.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        path.rename(heap / secrets.token_hex(8))
    subprocess.run(
        ["sh", "-c", 'nice -n 19 rm -rf -- "$1"/* &', "sh", str(heap)],
        env={"PATH": os.defpath},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def tail(path: Path, lines: int = 15) -> str:
    """Return the last lines of a log, or a note that it is empty."""
    text = path.read_text(errors="replace") if path.exists() else ""
    return "\n".join(text.splitlines()[-lines:]) or f"({path} is empty)"
