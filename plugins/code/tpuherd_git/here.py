"""Fetching on this machine: workers need no credentials, and get what git would check out."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd import SyncError, paths
from tpuherd.code.git import GitError, git
from tpuherd.code.locks import locked
from tpuherd.code.sending import send
from tpuherd.code.snapshot import take_snapshot
from tpuherd_git.fetching import fetch_commit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tpuherd import Allocation, Job, SyncedCode
    from tpuherd_git.config import GitSection

WITH_LFS = (
    "-c",
    "filter.lfs.process=git-lfs filter-process",
    "-c",
    "filter.lfs.smudge=git-lfs smudge -- %f",
    "-c",
    "filter.lfs.clean=git-lfs clean -- %f",
    "-c",
    "filter.lfs.required=true",
)
"""What `git lfs install` would write into the user's configuration."""


def fetch_and_send(job: Job, allocation: Allocation, section: GitSection) -> SyncedCode:
    """Check the commit out in a folder of tpuherd's own, and send a snapshot of that.

    Raises:
        SyncError: it cannot be fetched or checked out, or did not arrive.
    """
    with _checkout(job, section) as root:
        commit = fetch_commit(root, section)
        try:
            _check_out(root, commit, section.timeout_s)
        except GitError as error:
            raise SyncError(f"git.ref: cannot check out {section.ref} ({commit[:12]}): {error}") from error
        if shutil.which("git-lfs") is None and _wants_lfs(root):
            job.session.note("large files (LFS) arrive as pointers: git-lfs is not installed on this machine")
        snapshot = replace(take_snapshot(root), dirty=False)
        return send(job, allocation, snapshot, kind="git", root=root)


@contextmanager
def _checkout(job: Job, section: GitSection) -> Iterator[Path]:
    """The folder of a repository, for one process at a time."""
    source = section.url or str((job.base_directory / str(section.path)).resolve())
    name = hashlib.sha256(source.encode()).hexdigest()[:24]
    root = paths.home() / "code" / "checkouts" / name
    with locked(root.with_suffix(".held")):
        if not (root / ".git" / "config").exists():
            root.mkdir(parents=True, exist_ok=True)
            git("init", "--quiet", "--template=", cwd=root)
        git("config", "remote.origin.url", source, cwd=root)
        for left in (root / ".git").rglob("*.lock"):  # of a git that was killed: nobody else is here
            left.unlink()
        yield root


def _check_out(root: Path, commit: str, timeout_s: float) -> None:
    """Make the folder what git would make of the commit, and nothing else."""
    lfs = WITH_LFS if shutil.which("git-lfs") else ()
    git(*lfs, "checkout", "--quiet", "--force", "--detach", commit, cwd=root, timeout_s=timeout_s)
    git("clean", "-ffdxq", cwd=root)
    if (root / ".gitmodules").exists():
        git("submodule", "--quiet", "sync", "--recursive", cwd=root)
        words = ("submodule", "--quiet", "update", "--init", "--recursive", "--force")
        git(*lfs, *words, cwd=root, timeout_s=timeout_s)
    if lfs and _wants_lfs(root):  # what was checked out as pointers before git-lfs was there
        git(*lfs, "lfs", "pull", cwd=root, timeout_s=timeout_s)


def _wants_lfs(root: Path) -> bool:
    try:
        return bool(
            git("grep", "--files-with-matches", "filter=lfs", "HEAD", "--", "*.gitattributes", cwd=root)
        )
    except GitError:  # no match
        return False
