"""The bytes that make one snapshot of another on a worker."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tpuherd.code.delta import Delta, Entry
    from tpuherd.code.store import SnapshotStore

COMPRESS_BYTES = 1 << 16
"""Below this, packing and unpacking cost more than they save."""
PIECE_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Payload:
    """A tar of `gone` and `tree/`, packed with gzip or not; the same delta always gives the same bytes."""

    content: bytes = field(repr=False)
    changed: int
    """Files in it."""
    removes: bool
    """False if nothing is in `gone`."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the content."""
        return hashlib.sha256(self.content).hexdigest()


def pack(delta: Delta) -> Payload:
    """Pack what a delta adds and changes, and what it removes."""
    tree = io.BytesIO()
    with tarfile.open(fileobj=tree, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as archive:
        _add_gone(archive, b"".join(b"./" + name + b"\0" for name in delta.gone))
        folder = tarfile.TarInfo("tree")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(folder)
        for entry, content in zip(delta.changed, _contents(delta.store, delta.changed), strict=True):
            _add(archive, entry, content)
    return Payload(content=_packed(tree.getbuffer()), changed=len(delta.changed), removes=bool(delta.gone))


def _packed(plain: memoryview) -> bytes:
    """Compressed in pieces, on all processors: gzip files one after another are a gzip file."""
    if len(plain) < COMPRESS_BYTES:
        return bytes(plain)
    pieces = [plain[start : start + PIECE_BYTES] for start in range(0, len(plain), PIECE_BYTES)]
    with ThreadPoolExecutor(min(len(pieces), os.cpu_count() or 1)) as threads:
        return b"".join(threads.map(partial(gzip.compress, compresslevel=1, mtime=0), pieces))


def _contents(store: SnapshotStore, entries: Sequence[Entry]) -> Iterator[bytes]:
    """The content of each entry: `cat-file --batch` gives a line with its size, then itself and a newline."""
    if not entries:
        return
    answer = memoryview(store.git("cat-file", "--batch", stdin="\n".join(e.blob for e in entries).encode()))
    whole = answer.obj
    start = 0
    for _ in entries:
        end_of_line = whole.index(b"\n", start)  # type: ignore[attr-defined]
        size = int(bytes(answer[start:end_of_line]).rsplit(b" ", 1)[1])
        yield bytes(answer[end_of_line + 1 : end_of_line + 1 + size])
        start = end_of_line + 1 + size + 1


def _add(archive: tarfile.TarFile, entry: Entry, content: bytes) -> None:
    member = tarfile.TarInfo("tree/" + os.fsdecode(entry.name))
    if entry.mode == "120000":
        member.type, member.linkname = tarfile.SYMTYPE, os.fsdecode(content)
        archive.addfile(member)
        return
    member.mode = 0o755 if entry.mode == "100755" else 0o644
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def _add_gone(archive: tarfile.TarFile, names: bytes) -> None:
    member = tarfile.TarInfo("gone")
    member.size = len(names)
    archive.addfile(member, io.BytesIO(names))
