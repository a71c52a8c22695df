"""Whether the disk has room for what will be written; said before anything is computed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from ..errors import PlaceError
from ..output.layout import MANIFESTS
from ..places.folder import Folder
from .dataset import TEXT_BYTES_PER_TOKEN

if TYPE_CHECKING:
    from pathlib import Path

    from .dataset import Dataset

INDEX_BYTES = 16
"""Of a row: token id, document id, position."""
SHARDS_AT_ONCE = 4
"""That one worker has on its disk before they are uploaded."""


def estimated_bytes(dataset: Dataset) -> int:
    """About how large the dataset becomes, from the size of its text."""
    rows = sum(part.size_bytes for part in dataset.plan.parts) // TEXT_BYTES_PER_TOKEN
    return rows * _row_bytes(dataset)


def require_room(dataset: Dataset, scratch: Path) -> None:
    """Refuse to begin what cannot end.

    Raises:
        PlaceError: the disk is too small for what is still to be written.
    """
    place = dataset.place
    folder = place.root if isinstance(place, Folder) else scratch
    left = len(dataset.plan.parts) - len(place.names(MANIFESTS))
    left = left if isinstance(place, Folder) else min(left, SHARDS_AT_ONCE)
    each = min(dataset.content.rows_per_shard * _row_bytes(dataset), estimated_bytes(dataset))
    needed = min(left * each, estimated_bytes(dataset)) if left > 0 else 0
    free = shutil.disk_usage(_there(folder)).free
    if needed > free:
        raise PlaceError(
            f"{folder}: about {needed / 2**30:.1f} GiB will be written, {free / 2**30:.1f} GiB are free; "
            "choose fewer hooks or less text, or write to a bucket"
        )


def _row_bytes(dataset: Dataset) -> int:
    return INDEX_BYTES + sum(hook.row_bytes for hook in dataset.content.hooks)


def _there(folder: Path) -> Path:
    """The folder, or the nearest above it that exists."""
    return next(path for path in (folder, *folder.parents) if path.exists())
