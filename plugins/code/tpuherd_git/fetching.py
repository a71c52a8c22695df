"""Fetching one commit into a repository of this machine."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from tpuherd import SyncError
from tpuherd.code.git import GitError, git

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_git.config import GitSection

PAUSES_S = (0.5, 2.0, 5.0)
"""Before each further try."""

NO_SUCH_REF = re.compile(
    "couldn't find remote ref|not our ref|unadvertised object|no such remote ref", re.IGNORECASE
)
FOR_GOOD = re.compile(
    "does not appear to be a git repository|not found|does not exist|Authentication failed|Permission denied"
    "|could not read Username|terminal prompts disabled|not allowed",
    re.IGNORECASE,
)
"""What another try would not change."""

EVERYTHING = ("--tags", "origin", "+refs/heads/*:refs/remotes/origin/*")


def fetch_commit(repository: Path, section: GitSection) -> str:
    """Fetch what a section names, and return the id of the commit.

    Args:
        repository: has the remote `origin`.
        section: the ref, and how to fetch it.

    Raises:
        SyncError: the origin cannot be read, or has nothing of that name.
    """
    if re.fullmatch(r"[0-9a-f]{40}", section.ref) and (known := _commit(repository, section.ref)):
        return known
    try:
        _fetch(repository, section, "--no-tags", "origin", section.refspec)
        return git("rev-parse", "--verify", "FETCH_HEAD^{commit}", cwd=repository).decode().strip()
    except GitError as error:
        if not NO_SUCH_REF.search(str(error)):
            raise _refused(section, error) from error
    return _among_all(repository, section)


def _among_all(repository: Path, section: GitSection) -> str:
    """A commit that the origin does not hand out by its id, or only the beginning of an id."""
    if re.fullmatch(r"[0-9a-f]{4,40}", section.ref):
        try:
            _fetch(repository, section, *EVERYTHING)
        except GitError as error:
            raise _refused(section, error) from error
        if found := _commit(repository, section.ref):
            return found
    raise SyncError(
        f"git.ref: {section.url or section.path} has no branch, tag, commit or pull request {section.ref}"
    )


def _commit(repository: Path, name: str) -> str:
    try:
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return git(*words, cwd=repository).decode().strip()
    except GitError:
        return ""


def _fetch(repository: Path, section: GitSection, *what: str) -> None:
    depth = [f"--depth={section.depth}"] if section.depth else []
    words = ("fetch", "--quiet", "--force", "--no-recurse-submodules", *depth, *what)
    for pause_s in PAUSES_S:
        try:
            git(*words, cwd=repository, timeout_s=section.timeout_s)
        except GitError as error:
            if NO_SUCH_REF.search(str(error)) or FOR_GOOD.search(str(error)):
                raise
            time.sleep(pause_s)
        else:
            return
    git(*words, cwd=repository, timeout_s=section.timeout_s)


def _refused(section: GitSection, error: GitError) -> SyncError:
    key = "git.url" if section.url else "git.path"
    return SyncError(f"{key}: cannot fetch {section.ref} of {section.url or section.path}: {error}")
