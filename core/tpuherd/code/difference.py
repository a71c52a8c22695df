"""How the code of two attempts differs, or that of one from its commit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.code.git import GitError
from tpuherd.code.listing import SUBMODULE
from tpuherd.code.store import SnapshotStore
from tpuherd.errors import StateError

if TYPE_CHECKING:
    from tpuherd.model.outcome import SyncedCode

STATES = {"A": "added", "D": "deleted", "M": "changed", "T": "changed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """One file that differs."""

    path: str
    """What is no UTF-8 in it is escaped."""
    state: str
    """`added`, `deleted` or `changed`."""


class Difference:
    """From one tree to another, whichever repositories on this machine they are in."""

    def __init__(self, before: str, after: str, repositories: tuple[str, ...]) -> None:
        """Keep the ids of two trees, and the git folders that may have them besides tpuherd's own store.

        Raises:
            StateError: one of the trees is not on this machine any more.
        """
        self._store = SnapshotStore()
        self._elsewhere = ":".join(
            _quoted(str(Path(folder) / "objects")) for folder in repositories if folder
        )
        self._trees = (before, after)
        for tree in self._trees:
            self._require(tree)
        self._paths = [".", *(f":(exclude,literal){name}" for name in self._submodules(before))]

    def files(self) -> list[ChangedFile]:
        """The files that differ, by name."""
        parts = self._diff("--name-status", "-z").split("\0")
        return [
            ChangedFile(path=path, state=STATES.get(letter, "changed"))
            for letter, path in zip(parts[::2], parts[1::2], strict=False)
        ]

    def stat(self) -> str:
        """How many lines of each file, as `git diff --stat`."""
        return self._diff("--stat=110")

    def patch(self) -> str:
        """All of it, as `git diff`."""
        return self._diff("--patch")

    def _diff(self, *how: str) -> str:
        words = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", *how)
        return self._git(*words, *self._trees, "--", *self._paths).decode(errors="backslashreplace")

    def _submodules(self, tree: str) -> list[str]:
        """A commit names a commit of each, a snapshot has their files: there is nothing to compare."""
        entries = self._git("ls-tree", "-r", "-z", tree).split(b"\0")
        found = (entry.partition(b"\t")[2] for entry in entries if entry.startswith(SUBMODULE))
        return [name.decode(errors="surrogateescape") for name in found]

    def _require(self, tree: str) -> None:
        try:
            self._git("cat-file", "-e", f"{tree}^{{tree}}")
        except GitError as error:
            raise StateError(f"the files of {tree} are not on this machine, or not any more") from error

    def _git(self, *words: str) -> bytes:
        return self._store.git(*words, GIT_ALTERNATE_OBJECT_DIRECTORIES=self._elsewhere)


def against_commit(code: SyncedCode) -> Difference | None:
    """What was changed since the commit that the code started from; `None` if nothing was.

    Raises:
        StateError: there is no commit, or its files are gone.
    """
    if not code.commit:
        raise StateError("this code started from no commit: name another job to compare it with")
    if not code.dirty:
        return None
    before = code.commit_tree or _empty_tree()
    return Difference(before, code.snapshot, (code.repository,))


def between(before: SyncedCode, after: SyncedCode) -> Difference | None:
    """What one attempt ran and another did not; `None` if they ran the same.

    Raises:
        StateError: the files of one are gone.
    """
    if before.snapshot == after.snapshot:
        return None
    return Difference(before.snapshot, after.snapshot, (before.repository, after.repository))


def _empty_tree() -> str:
    store = SnapshotStore()
    return store.git("hash-object", "-t", "tree", "-w", "--stdin").decode().strip()


def _quoted(path: str) -> str:
    """As git wants a path in a list that is separated by colons."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
