"""One file or folder as a tar archive with one entry at its top."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tarfile import TarInfo

TOP = "it"
"""Name of the entry: what it is called in the end is its receiver's business."""
Filter = Literal["tar", "data"]
TRUSTED: Filter = "tar"
"""Filter for what the user of a worker sends to it; see `tarfile.extractall`."""
UNTRUSTED: Filter = "data"
"""Filter for what a worker sends: nothing in it may lead out of the folder that it is unpacked in."""


def pack(path: Path, archive: IO[bytes]) -> None:
    """Writes an archive of files, folders and symbolic links; whose they are, and anything else, is left out.

    If the path itself is a symbolic link, what it leads to is meant.
    """
    with tarfile.open(fileobj=archive, mode="w|") as tar:
        tar.add(path.resolve(), TOP, filter=_plain)


def unpack(archive: IO[bytes], folder: Path, filter_name: Filter) -> Path:
    """Unpacks an archive and returns where its top is.

    Args:
        archive: What `pack` wrote.
        folder: An empty folder.
        filter_name: `TRUSTED` or `UNTRUSTED`; older Pythons have no filters, those on workers may be old.

    Raises:
        tarfile.TarError: It is no whole archive, or something in it was refused.
    """
    with tarfile.open(fileobj=archive, mode="r|") as tar:
        if hasattr(tarfile, f"{filter_name}_filter"):
            tar.extractall(folder, filter=filter_name)  # noqa: S202  (the filter is the check)
        elif filter_name == TRUSTED:
            tar.extractall(folder)  # noqa: S202  (what the worker's own user sends)
        else:
            raise tarfile.TarError("this Python cannot unpack what is not trusted: 3.11.4 or newer can")
    return folder / TOP


def size(path: Path) -> int:
    """Bytes of all files of a file or folder."""
    if not path.is_dir():
        return path.stat().st_size
    files = (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
    return sum(file.lstat().st_size for file in files)


def _plain(entry: TarInfo) -> TarInfo | None:
    if not (entry.isfile() or entry.isdir() or entry.issym() or entry.islnk()):
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
