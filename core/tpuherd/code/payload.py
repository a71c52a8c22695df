"""The bytes that make one snapshot of another on a worker."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tarfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tpuherd.code.delta import Delta, Entry
    from tpuherd.code.store import SnapshotStore

COMPRESS_BYTES = 1 << 16
"""Below this, packing and unpacking cost more than they save."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """A tar of `gone`, `sums` and `tree/`; the same delta always gives the same bytes."""

    content: bytes = field(repr=False)
    packing: str
    """`plain` or `gzip`."""
    changed: int
    """Files in it."""


def pack(delta: Delta) -> Payload:
    """Pack what a delta adds and changes, what it removes, and the digests of what it adds."""
    tree, sums = io.BytesIO(), []
    with tarfile.open(fileobj=tree, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8") as archive:
        folder = tarfile.TarInfo("tree")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(folder)
        for entry, content in zip(delta.changed, _contents(delta.store, delta.changed), strict=True):
            _add(archive, entry, content)
            sums.append(_sum(entry, content))
        _add_text(archive, "gone", b"".join(b"./" + name + b"\0" for name in delta.gone))
        _add_text(archive, "sums", b"".join(sums))
    plain = tree.getvalue()
    if len(plain) < COMPRESS_BYTES:
        return Payload(content=plain, packing="plain", changed=len(delta.changed))
    packed = gzip.compress(plain, compresslevel=1, mtime=0)
    return Payload(content=packed, packing="gzip", changed=len(delta.changed))


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


def _add_text(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def _sum(entry: Entry, content: bytes) -> bytes:
    """A line for `sha256sum --check`; none for links, and for names that it cannot read, those with a CR."""
    if entry.mode == "120000" or b"\r" in entry.name:
        return b""
    escaped = entry.name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n")
    mark = b"\\" if escaped != entry.name else b""
    return mark + hashlib.sha256(content).hexdigest().encode() + b"  ./" + escaped + b"\n"
