"""New folders, which are there whole or not at all."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tpuherd_activations.worker.errors import PlaceError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def new_folder(folder: Path, needed_bytes: int) -> Iterator[Path]:
    """A folder to fill, which gets its name at the end; one that was not finished is removed.

    Args:
        folder: Its name.
        needed_bytes: What will be on the disk, at most, while it is filled.

    Raises:
        PlaceError: there is something of that name, or the disk has no room.
    """
    target = folder.expanduser().absolute()
    if target.exists():
        raise PlaceError(f"{target}: it is there already; name a new folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(target.parent).free
    if needed_bytes > free:
        raise PlaceError(
            f"{target}: {needed_bytes / 2**30:.1f} GiB will be written, {free / 2**30:.1f} GiB are free; "
            "choose fewer hooks, or another disk"
        )
    with TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
        inside = Path(scratch) / target.name
        inside.mkdir()
        yield inside
        inside.rename(target)
