"""Which files belong to a working tree."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tpuherd.code.git import GitError, git
from tpuherd.errors import SyncError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EVER_LEFT_OUT = {b".git", b"__pycache__", b".venv", b"node_modules"}
"""Folders that are left out where there is no git to say what is ignored."""

SUBMODULE = b"160000"
LOOSE = ("ls-files", "-z", "--others", "--exclude-standard", ".")
"""Asks git for what it neither tracks nor ignores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The files of a working tree, as names relative to it."""

    names: frozenset[bytes]
    """Regular files and symbolic links; some of them may have been deleted from the disk."""
    untracked: bool
    """True if git does not track some of them."""
    of_git: bool
    """False if there is no repository."""


def list_files(root: Path) -> Listing:
    """All that git tracks and all that it does not ignore, submodules and nested repositories included.

    Without a repository these are all files but caches.

    Raises:
        SyncError: git refuses to look, or a folder cannot be read.
    """
    try:
        with ThreadPoolExecutor(1) as other_thread:
            loose_ones = other_thread.submit(git, *LOOSE, cwd=root)
            tracked = git("ls-files", "-z", "--stage", ".", cwd=root)
            others = loose_ones.result()
    except GitError as error:
        if "not a git repository" in str(error):
            return Listing(names=frozenset(_all_files(root)), untracked=True, of_git=False)
        raise SyncError(f"code.path: {root}: {error}") from error
    files, repositories = _tracked(root, tracked)
    loose = {name for name in others.split(b"\0") if name}
    repositories |= {name.rstrip(b"/") for name in loose if name.endswith(b"/")}
    names = files | {name for name in loose if not name.endswith(b"/")}
    for folder in repositories:
        names |= _inside(root, folder)
    return Listing(names=frozenset(names), untracked=bool(loose), of_git=True)


def _tracked(root: Path, stages: bytes) -> tuple[set[bytes], set[bytes]]:
    """Names of files, and of submodules, of `git ls-files --stage`."""
    files, submodules = set(), set()
    behind_link = _link_finder(root)
    for entry in filter(None, stages.split(b"\0")):
        details, _, name = entry.partition(b"\t")
        if details.startswith(SUBMODULE):
            submodules.add(name)
        elif not behind_link(os.path.dirname(name)):  # noqa: PTH120 - names are bytes
            files.add(name)
    return files, submodules


def _inside(root: Path, folder: bytes) -> set[bytes]:
    """The files of a repository within; none if it is a submodule that was never fetched."""
    inner = root / os.fsdecode(folder)
    if not inner.is_dir() or not any(inner.iterdir()):
        return set()
    found = list_files(inner).names if (inner / ".git").exists() else _all_files(inner)
    return {folder + b"/" + name for name in found}


def _link_finder(root: Path) -> Callable[[bytes], bool]:
    """A function that says if a folder is reached through a link: what git tracked below it is not there."""
    top = os.fsencode(root)

    @cache
    def behind_link(folder: bytes) -> bool:
        if not folder:
            return False
        above = os.path.dirname(folder)  # noqa: PTH120
        return os.path.islink(os.path.join(top, folder)) or behind_link(above)  # noqa: PTH114, PTH118

    return behind_link


def _all_files(root: Path) -> set[bytes]:
    found = set()
    top = os.fsencode(root)
    for here, subfolders, names in os.walk(top, onerror=_refuse):
        subfolders[:] = [name for name in subfolders if name not in EVER_LEFT_OUT]
        links = [name for name in subfolders if os.path.islink(os.path.join(here, name))]  # noqa: PTH114, PTH118
        paths = (os.path.join(here, name) for name in [*names, *links])  # noqa: PTH118
        found |= {os.path.relpath(path, top) for path in paths if _is_file(path)}
    return found


def _is_file(path: bytes) -> bool:
    return os.path.islink(path) or os.path.isfile(path)  # noqa: PTH113, PTH114


def _refuse(error: OSError) -> None:
    raise SyncError(f"cannot read {os.fsdecode(error.filename)}: {error.strerror}") from error
