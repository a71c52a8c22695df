"""Putting files under their names so that they are there whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from ..errors import PlaceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def written(folder: Path, data: bytes) -> Path:
    """A new file with a name of its own, on the disk."""
    file = folder / f"new-{uuid4().hex}"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        file.write_bytes(data)
    except FileNotFoundError:  # the folder was cleared in between
        return written(folder, data)
    reach_disk(file)
    return file


def linked(file: Path, target: Path) -> bool:
    """Give a file a second name; False if the name is taken.

    Raises:
        PlaceError: the file system does not allow it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file, target)
    except FileExistsError:
        return False
    except FileNotFoundError:
        raise
    except OSError as error:
        raise PlaceError(
            f"{target}: {error.strerror}; the file system has to allow hard links, gs:// is the other choice"
        ) from error
    reach_disk(target.parent)
    return True


def reach_disk(path: Path) -> None:
    """Wait until a file or a folder's list of names is on the disk."""
    with _opened(path) as descriptor:
        os.fsync(descriptor)


def leave_memory(path: Path) -> None:
    """Let the system use the memory in which it keeps a file that is on the disk: for the next one, say.

    A dataset is larger than memory as a rule, and would drive out everything else.
    """
    if hasattr(os, "posix_fadvise"):  # macOS lacks it
        with _opened(path) as descriptor, suppress(OSError):  # an advice that not every file system takes
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
