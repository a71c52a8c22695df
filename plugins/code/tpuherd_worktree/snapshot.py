"""A snapshot of a working tree: a tar whose hash names it."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from tpuherd import SyncError

ID_LENGTH = 20
EVER_LEFT_OUT = {".git", "__pycache__", ".venv", "node_modules"}
"""Folders that are left out where there is no git to say what is ignored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The content of a working tree at one moment."""

    id: str
    archive: bytes
    """A gzipped tar; the same content gives the same bytes."""
    files: int
    commit: str
    dirty: bool


def take_snapshot(root: Path) -> Snapshot:
    """Pack the files below a folder: what git tracks and what it does not ignore, or all without git.

    Raises:
        SyncError: the folder is not there, has no files, or a file cannot be read.
    """
    if not root.is_dir():
        raise SyncError(f"code.path: {root} is no folder")
    names = _git_files(root)
    listed = _all_files(root) if names is None else names
    if not listed:
        raise SyncError(f"code.path: there is nothing to send: {root} is empty, or git ignores all of it")
    tar = _tar(root, listed)
    return Snapshot(
        id=hashlib.sha256(tar).hexdigest()[:ID_LENGTH],
        archive=_compress(tar),
        files=len(listed),
        commit=_git(root, "rev-parse", "--quiet", "--verify", "HEAD").strip(),
        dirty=bool(_git(root, "status", "--porcelain", "--", ".")),
    )


def _git_files(root: Path) -> list[str] | None:
    """Tracked and untracked files that exist, without ignored ones; `None` outside of git."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "."]
    done = subprocess.run(command, capture_output=True)
    if done.returncode != 0:
        return None
    names = {os.fsdecode(name) for name in done.stdout.split(b"\0") if name}
    return sorted(name for name in names if _is_file(root / name))


def _all_files(root: Path) -> list[str]:
    found = []
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in EVER_LEFT_OUT]
        here = Path(folder)
        links = [name for name in subfolders if (here / name).is_symlink()]
        found += [str((here / name).relative_to(root)) for name in [*names, *links]]
    return sorted(name for name in found if _is_file(root / name))


def _is_file(path: Path) -> bool:
    return path.is_symlink() or path.is_file()


def _tar(root: Path, names: list[str]) -> bytes:
    """A tar that depends on names, contents, exec bits and link targets only."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in names:
            try:
                archive.add(root / name, arcname=name, recursive=False, filter=_plain)
            except OSError as error:
                raise SyncError(f"cannot read {root / name}: {error.strerror}") from error
            # Each name gets its content: with hard links the same files would be another archive.
            archive.inodes.clear()  # type: ignore[attr-defined]
    return buffer.getvalue()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 1
    member.mode = 0o755 if member.mode & 0o100 else 0o644
    return member


def _compress(tar: bytes) -> bytes:
    import gzip

    return gzip.compress(tar, compresslevel=1, mtime=0)


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""
