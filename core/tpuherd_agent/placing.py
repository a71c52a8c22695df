"""A file or folder appears under its name whole, or not at all."""

from __future__ import annotations

import ctypes
import os
import shutil
import tarfile

from tpuherd_agent import tarballs
from tpuherd_agent.errors import DISK, SPEC_WRONG, AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

    from tpuherd_agent.tarballs import Filter

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def staging(target: Path, token: str) -> Path:
    """The folder in which something is got ready: beside its target, where a rename is atomic."""
    return target.with_name(f".{target.name[:80]}.{token}.tpuherd")


def check_target(target: Path, *, folder: bool, replace: bool) -> None:
    """Refuses a target that something of this kind must not take the place of.

    Args:
        target: Where it is to appear.
        folder: Whether it is a folder.
        replace: Whether a folder may take the place of a folder.

    Raises:
        AgentError: There is something else.
    """
    there = "a folder" if target.is_dir() and not target.is_symlink() else "a file"
    if not os.path.lexists(target):
        return
    if folder and there == "a file":
        raise AgentError(f"{target} is a file: a folder cannot take its place", SPEC_WRONG)
    if there == "a folder" and not folder:
        raise AgentError(f"{target} is a folder: write {target}/ to put the file into it", SPEC_WRONG)
    if folder and not replace:
        message = f"there is a folder {target}: add --replace to replace all of it, or name another one"
        raise AgentError(message, SPEC_WRONG)


def place(archive: IO[bytes], target: Path, token: str, filter_name: Filter, *, replace: bool) -> None:
    """Unpacks an archive beside the target, then gives it the target's name.

    Args:
        archive: What `tarballs.pack` wrote.
        target: Where its content is to appear.
        token: Names the folder in which it is got ready.
        filter_name: See `tarballs.unpack`.
        replace: See `check_target`.

    Raises:
        AgentError: The archive is no good, or something else is there; nothing has changed.
    """
    folder = staging(target, token)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        ready = tarballs.unpack(archive, _empty(folder / "new"), filter_name)
        check_target(target, folder=ready.is_dir() and not ready.is_symlink(), replace=replace)
        _rename(ready, target)
    except tarfile.TarError as error:
        raise AgentError(f"{target}: what came is no good: {error}", DISK) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _rename(ready: Path, target: Path) -> None:
    """Two folders change places; where the system cannot do that at once, the old one goes first."""
    if not target.is_dir() or target.is_symlink():
        ready.replace(target)
    elif not _exchange(ready, target):
        target.rename(ready.with_name("old"))
        ready.rename(target)


def _exchange(one: Path, other: Path) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return False
    paths = os.fsencode(one), os.fsencode(other)
    return bool(libc.renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE) == 0)
