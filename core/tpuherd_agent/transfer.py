"""Files and folders to and from this worker, in parts of any size."""

from __future__ import annotations

import os
import shutil
import sys

from tpuherd_agent import placing, tarballs
from tpuherd_agent.attempt import home
from tpuherd_agent.errors import DISK, SPEC_WRONG, AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

_CHUNK_BYTES = 1 << 20
SPARE_BYTES = 64 << 20
"""What has to stay free on the disk."""


def local(path: str) -> Path:
    """A path on this worker: `~` and relative paths start at the home folder."""
    return home() / os.path.normpath(path[2:] if path.startswith("~/") else "." if path == "~" else path)


def look(path: str) -> dict[str, object]:
    """What is there.

    Raises:
        AgentError: Nothing.
    """
    source = local(path)
    if not source.exists():
        raise AgentError(f"there is no {source}", SPEC_WRONG)
    kind = "folder" if source.is_dir() else "file"
    return {"path": str(source), "kind": kind, "bytes": tarballs.size(source)}


def room(path: str, size: int, *, folder: bool, replace: bool) -> dict[str, object]:
    """Refuses what would not fit, or must not be there; nothing is written.

    Args:
        path: Where it is to appear.
        size: Bytes of the archive.
        folder: Whether it is a folder.
        replace: See `placing.check_target`.

    Raises:
        AgentError: Why not.
    """
    target = local(path)
    placing.check_target(target, folder=folder, replace=replace)
    there = next(parent for parent in target.parents if parent.exists())
    free = shutil.disk_usage(there).free
    needed = 2 * size + SPARE_BYTES  # the archive, and what is in it
    if free < needed:
        raise AgentError(
            f"{there} has {free / 2**20:.0f} MiB free, {needed / 2**20:.0f} MiB are needed", DISK
        )
    return {"path": str(target), "free_bytes": free}


def receive(path: str, token: str, *, offset: int, size: int, last: bool, replace: bool) -> dict[str, object]:
    """Takes one part of an archive from stdin; with the last one, its content appears.

    Args:
        path: Where it is to appear.
        token: Names the archive.
        offset: Of this part in the archive.
        size: Of this part, in bytes: whoever sends may go away in the middle.
        last: Whether it is the last one.
        replace: See `placing.check_target`.

    Raises:
        AgentError: The part is not whole; a last one also if the content cannot be put in place.
    """
    target = local(path)
    folder = placing.staging(target, token)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "archive").open("r+b" if offset else "w+b") as archive:
        archive.seek(offset)
        _copy(sys.stdin.buffer, archive)
        if archive.tell() != offset + size:
            discard(path, token)
            raise AgentError("the sender went away; nothing has changed", DISK)
        if last:
            archive.seek(0)
            placing.place(archive, target, token, tarballs.TRUSTED, replace=replace)
    return {"path": str(target)}


def discard(path: str, token: str) -> dict[str, object]:
    """Forgets the parts that came."""
    shutil.rmtree(placing.staging(local(path), token), ignore_errors=True)
    return {"path": path}


def send(path: str) -> None:
    """Writes an archive to stdout."""
    look(path)
    tarballs.pack(local(path), sys.stdout.buffer)
    sys.stdout.buffer.flush()


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    while data := source.read(_CHUNK_BYTES):
        target.write(data)
