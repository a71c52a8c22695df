"""Send the TensorBoard files and the records of a run, without its checkpoints: `pack DIR`.

A gzipped tar goes to standard output. Exit codes: 0, 64 wrong words.
"""

from __future__ import annotations

import io
import sys
import tarfile
from typing import TYPE_CHECKING, BinaryIO

from .storage import path_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

USAGE = 64
FOLDERS = ("tensorboard", "provenance")


def main(argv: list[str]) -> int:
    """Pack the folder that `argv` names; return the exit code."""
    if len(argv) != 1:
        sys.stderr.write("tpuherd: usage: pack DIR\n")
        return USAGE
    pack(path_of(argv[0]), sys.stdout.buffer)
    return 0


def pack(directory: Path, target: BinaryIO) -> None:
    """Write the files of `FOLDERS` below a folder, which may be in object storage."""
    with tarfile.open(fileobj=target, mode="w|gz") as archive:
        for folder in FOLDERS:
            for path in _below(directory / folder):
                data = path.read_bytes()
                member = tarfile.TarInfo(str(path).removeprefix(str(directory)).lstrip("/"))
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir(), key=str) if folder.exists() else []:
        if path.is_dir():
            yield from _below(path)
        else:
            yield path
