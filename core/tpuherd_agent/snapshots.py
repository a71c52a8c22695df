"""What an input of the code's log says, applied to a folder."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tarfile import TarInfo

TREE = b"tree/"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def apply(content: bytes, folder: str) -> None:
    """Removes and writes what an input names: a tar of `gone` and `tree/`; see `tpuherd.code.payload`.

    Files are replaced, never written into. Done twice, it is done.

    Raises:
        OSError: It cannot be done.
        tarfile.TarError, ValueError: This is no such input.
    """
    root = os.fsencode(folder)
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:", encoding="utf-8") as archive:
        for member in archive:
            name = member.name.encode("utf-8", "surrogateescape")
            if name == b"gone":
                _remove_all(archive, member, root)
            elif name != TREE[:-1]:
                _put(archive, member, os.path.join(root, _inside(name)))  # noqa: PTH118


def _remove_all(archive: tarfile.TarFile, member: TarInfo, root: bytes) -> None:
    """Its content: names that begin with `./`, a zero byte after each."""
    for name in _content(archive, member).split(b"\0")[:-1]:
        path = os.path.join(root, name)  # noqa: PTH118
        if os.path.isdir(path) and not os.path.islink(path):  # noqa: PTH112, PTH114
            shutil.rmtree(path)
        else:
            with suppress(FileNotFoundError, NotADirectoryError):
                os.unlink(path)  # noqa: PTH108


def _inside(name: bytes) -> bytes:
    inner = name.removeprefix(TREE)
    if inner == name or inner.startswith(b"/") or b".." in inner.split(b"/"):
        message = f"{name!r} is not in the tree"
        raise ValueError(message)
    return inner


def _put(archive: tarfile.TarFile, member: TarInfo, path: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
    with suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108
    if member.issym():
        os.symlink(member.linkname.encode("utf-8", "surrogateescape"), path)  # noqa: PTH211
        return
    with open(os.open(path, _NEW, 0o600), "wb") as file:  # noqa: PTH123
        file.write(_content(archive, member))
        os.fchmod(file.fileno(), member.mode)


def _content(archive: tarfile.TarFile, member: TarInfo) -> bytes:
    file = archive.extractfile(member)
    if file is None:
        message = f"{member.name!r} is no file"
        raise ValueError(message)
    return file.read()
