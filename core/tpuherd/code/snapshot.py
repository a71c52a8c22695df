"""A snapshot of a working tree: its files as they are on the disk, at one moment."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.code.git import GitError, git
from tpuherd.code.listing import list_files
from tpuherd.code.store import EMPTY_TREE, SnapshotStore
from tpuherd.errors import SyncError

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.code.listing import Listing


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The commit that a working tree started from."""

    commit: str = ""
    """Empty: there is none."""
    tree: str = ""
    """The tree of that commit, or of the same subfolder in it; empty: it does not have that folder."""
    repository: str = ""
    """The git folder on this machine that has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The content of a working tree at one moment."""

    id: str
    """Id of the git tree of exactly these bytes: the same content is the same snapshot, wherever it was."""
    files: int
    origin: Origin
    dirty: bool
    """True if the content differs from that commit."""
    store: SnapshotStore
    """Where its files are."""


def take_snapshot(root: Path, store: SnapshotStore | None = None) -> Snapshot:
    """Take in all that git tracks and does not ignore below a folder; without git, all but caches.

    Submodules and nested repositories are taken with their files. Only what changed since the last snapshot
    of the same folder is read. The folder, and the user's repository and index, stay as they are.

    Raises:
        SyncError: the folder is not there, has no files, or a file cannot be read; or git is not installed.
    """
    if not root.is_dir():
        raise SyncError(f"code.path: {root} is no folder")
    listing = list_files(root)
    names = _without(paths.home(), root, listing.names)
    kept = store or SnapshotStore()
    with ThreadPoolExecutor(2) as threads:  # most of the time goes into waiting for git
        origin = threads.submit(_origin, root, listing)
        changed = threads.submit(_has_changes, root, listing)
        tree = kept.write_tree(root, names) if names else EMPTY_TREE
        if tree == EMPTY_TREE:
            raise SyncError(f"code.path: there is nothing to send: {root} is empty, or git ignores all of it")
        kept.keep(tree)
        dirty = tree != origin.result().tree and changed.result()
    return Snapshot(id=tree, files=len(names), origin=origin.result(), dirty=dirty, store=kept)


def _without(folder: Path, root: Path, names: frozenset[bytes]) -> frozenset[bytes]:
    """The names but those below a folder: snapshots may be kept in the tree that they are taken of."""
    if not folder.resolve().is_relative_to(root.resolve()):
        return names
    start = os.fsencode(folder.resolve().relative_to(root.resolve())) + b"/"
    return frozenset(name for name in names if not name.startswith(start))


def _origin(root: Path, listing: Listing) -> Origin:
    if not listing.of_git:
        return Origin()
    try:
        said = git("rev-parse", "--git-common-dir", "--verify", "--quiet", "HEAD", cwd=root).decode()
    except GitError:
        return Origin()  # a repository without a commit
    repository, commit = said.splitlines()
    return Origin(commit=commit, tree=_tree_of(root, commit), repository=str((root / repository).resolve()))


def _tree_of(root: Path, commit: str) -> str:
    try:
        return git("rev-parse", "--verify", "--quiet", f"{commit}:./", cwd=root).decode().strip()
    except GitError:
        return ""


def _has_changes(root: Path, listing: Listing) -> bool:
    """What is on the disk may differ from what git keeps without being a change: line ends, large files."""
    if listing.untracked or not listing.of_git:
        return listing.of_git
    return bool(git("status", "--porcelain", "--untracked-files=no", ".", cwd=root))
