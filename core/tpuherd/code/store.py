"""Where snapshots are kept on this machine: a bare git repository of tpuherd's own."""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.code.git import GitError, git
from tpuherd.code.locks import locked
from tpuherd.errors import SyncError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The id that git gives to a tree without files; no repository has to contain it."""

AS_ON_DISK = "* -text -eol -filter -ident -working-tree-encoding\n"
"""Overrules the attributes of the tree: what workers get is what is on the disk, byte by byte."""

SETTINGS = {
    "core.compression": "1",
    "core.fsyncMethod": "batch",
    "core.fileMode": "true",
    "core.symlinks": "true",
    "core.protectNTFS": "false",  # names that only other systems cannot have are fine
    "core.protectHFS": "false",
    "core.untrackedCache": "false",
    "core.fsmonitor": "false",
    "gc.auto": "4000",
}
CANNOT_READ = re.compile(r"error: (?:open\(\"(.*)\"\)|readlink\(\"(.*)\"\)): (.*)")


class SnapshotStore:
    """Trees and their files, shared by all jobs of this user; safe to use from several processes."""

    def __init__(self, folder: Path | None = None) -> None:
        """Open the store in `folder`, by default in tpuherd's home; it is made if it is not there."""
        self._folder = folder or paths.home() / "code"
        self.repository = self._folder / "snapshots.git"
        if not (self.repository / "info" / "attributes").exists():
            self._make()

    def git(self, *words: str, stdin: bytes = b"", **variables: str) -> bytes:
        """Run git in the store; raises `GitError`."""
        return git(*words, cwd=self.repository, variables=self._variables(variables), stdin=stdin)

    def has(self, tree: str) -> bool:
        """True if a snapshot was taken on this machine, and is still kept."""
        try:
            self.git("cat-file", "-e", f"{tree}^{{tree}}")
        except GitError:
            return False
        return True

    def keep(self, tree: str) -> None:
        """Protect a tree from git's collection of garbage."""
        self.git("update-ref", f"refs/tpuherd/{tree}", tree)

    def tidy(self) -> None:
        """Let git pack what has piled up, in the background; what `keep` was called for stays."""
        self.git("gc", "--auto", "--quiet")

    def write_tree(self, root: Path, names: frozenset[bytes]) -> str:
        """Take in the files of a folder; those that did not change since the last time are not read.

        Args:
            root: the folder.
            names: relative to it; those that are gone from the disk are left out.

        Returns:
            The tree's id.

        Raises:
            SyncError: a file cannot be read.
        """
        with self._index(root) as index:
            variables = self._variables({"GIT_INDEX_FILE": str(index), "GIT_WORK_TREE": str(root)})
            try:
                at_once = () if index.exists() else ALL_IN_ONE
                git(*at_once, *UPDATE, "--stdin", cwd=root, variables=variables, stdin=_joined(names))
                surplus = set(git("ls-files", "-z", cwd=root, variables=variables).split(b"\0")) - names
                if surplus - {b""}:
                    git(*FORGET, "--stdin", cwd=root, variables=variables, stdin=_joined(surplus - {b""}))
                return git("write-tree", cwd=root, variables=variables).decode().strip()
            except GitError as error:
                raise SyncError(_in_words(root, str(error))) from error

    @contextmanager
    def _index(self, root: Path) -> Iterator[Path]:
        """The index of a folder, for one process at a time."""
        index = self._folder / "index" / sha256(os.fsencode(root)).hexdigest()[:32]
        with locked(index.with_suffix(".held")):
            index.with_suffix(".lock").unlink(
                missing_ok=True
            )  # of a git that was killed: nobody else is here
            yield index

    def _variables(self, more: dict[str, str]) -> dict[str, str]:
        return {"GIT_DIR": str(self.repository), **more}

    def _make(self) -> None:
        """Make it beside, then rename: a store is whole or not there."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with locked(self._folder / "making.held"), tempfile.TemporaryDirectory(dir=self._folder) as name:
            if self.repository.exists():
                return
            fresh = Path(name) / "snapshots.git"
            git(
                "init", "--quiet", "--bare", "--template=", "--object-format=sha1", str(fresh), cwd=Path(name)
            )
            for key, value in SETTINGS.items():
                git("config", key, value, cwd=fresh, variables={"GIT_DIR": str(fresh)})
            (fresh / "info").mkdir()
            (fresh / "info" / "attributes").write_text(AS_ON_DISK)
            fresh.rename(self.repository)


ALL_IN_ONE = ("-c", "core.bigFileThreshold=1")
"""Makes git write new files into one pack, as it does with large ones, instead of a file for each."""
UPDATE = ("update-index", "-z", "--add", "--remove", "--replace")
FORGET = ("update-index", "-z", "--force-remove")


def _joined(names: Iterable[bytes]) -> bytes:
    return b"\0".join(sorted(names))


def _in_words(root: Path, message: str) -> str:
    found = CANNOT_READ.search(message)
    if found is None:
        return f"cannot take in {root}: {message}"
    return f"cannot read {root / (found[1] or found[2])}: {found[3]}"
