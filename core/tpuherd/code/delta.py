"""What lies between two snapshots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.code.store import SnapshotStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file or a symbolic link of a snapshot."""

    name: bytes
    blob: str
    """Id of its content, or of the link's target, in the store."""
    mode: str
    """100644, 100755 or, for a link, 120000."""


@dataclass(frozen=True, kw_only=True)
class Delta:
    """What makes one snapshot of another."""

    store: SnapshotStore
    base: str
    tree: str

    @cached_property
    def _changes(self) -> list[tuple[str, str, bytes]]:
        """Mode, blob and name of everything that differs; a mode of zeros: it is gone."""
        words = ("diff-tree", "-r", "-z", "--no-renames", self.base, self.tree)
        parts = self.store.git(*words).split(b"\0")
        pairs = zip(parts[::2], parts[1::2], strict=False)
        fields = ((details.decode().split(" "), name) for details, name in pairs)
        return [(details[1], details[3], name) for details, name in fields]

    @cached_property
    def changed(self) -> list[Entry]:
        """Everything that is new or different."""
        return [
            Entry(name=name, blob=blob, mode=mode) for mode, blob, name in self._changes if int(mode) != 0
        ]

    @cached_property
    def gone(self) -> list[bytes]:
        """What has to be removed first: files, and folders with nothing left in them, the outermost only."""
        lost = [name for mode, _, name in self._changes if int(mode) == 0]
        if not lost:
            return []
        folders = set(self.store.git("ls-tree", "-r", "-d", "-z", "--name-only", self.tree).split(b"\0"))
        return sorted({_outermost(name, folders) for name in lost})


def _outermost(name: bytes, folders: set[bytes]) -> bytes:
    """The first folder on the way to `name` that is not there any more, else `name` itself."""
    return next((folder for folder in _above(name) if folder not in folders), name)


def _above(name: bytes) -> Iterator[bytes]:
    parts = name.split(b"/")
    return (b"/".join(parts[:count]) for count in range(1, len(parts)))
