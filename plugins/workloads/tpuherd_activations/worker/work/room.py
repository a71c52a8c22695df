"""Whether the disk has room for what will be written; said before anything is computed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from ..errors import PlaceError
from ..output.finishing import committed
from ..output.layout import manifest
from ..places.folder import Folder
from .preparing import documents_of

if TYPE_CHECKING:
    from pathlib import Path

    from ..input.encoding import Encoder
    from .dataset import Dataset

INDEX_BYTES = 16
"""Of a row: token id, document id, position."""
SHARDS_AT_ONCE = 4
"""That one worker has on its disk before they are uploaded."""
SAMPLE = 64
"""Records that are turned into tokens to see how many rows a byte of text makes."""


def require_room(dataset: Dataset, encoder: Encoder, scratch: Path) -> None:
    """Refuse to begin what cannot end.

    Args:
        dataset: What is to be made.
        encoder: Of its documents.
        scratch: A folder of this machine.

    Raises:
        InputError: one of the first records is not what it should be.
        PlaceError: the disk is too small for what is still to be written.
    """
    place, done = dataset.place, committed(dataset.place)
    folder = place.root if isinstance(place, Folder) else scratch
    left = sorted(part.size_bytes for part in dataset.plan.parts if manifest(part.index) not in done)
    left = left if isinstance(place, Folder) else left[-SHARDS_AT_ONCE:]
    needed = sum(left) * bytes_per_text_byte(dataset, encoder, scratch)
    free = shutil.disk_usage(_there(folder)).free
    if needed > free:
        raise PlaceError(
            f"{folder}: about {needed / 2**30:.1f} GiB will be written, {free / 2**30:.1f} GiB are free; "
            "choose fewer hooks or less text, or write to a bucket"
        )


def bytes_per_text_byte(dataset: Dataset, encoder: Encoder, scratch: Path) -> float:
    """How much larger a dataset is than its text, by the first records of the first part."""
    part = dataset.plan.parts[0]
    sample = documents_of(dataset, part, encoder, scratch / "input", SAMPLE)
    text_bytes = part.size_bytes * min(SAMPLE, part.documents) / part.documents
    rows = sum(int(document.kept.sum()) for document in sample)
    return rows * _row_bytes(dataset) / max(text_bytes, 1.0)


def _row_bytes(dataset: Dataset) -> int:
    return INDEX_BYTES + sum(hook.row_bytes for hook in dataset.content.hooks)


def _there(folder: Path) -> Path:
    """The folder, or the nearest above it that exists."""
    return next(path for path in (folder, *folder.parents) if path.exists())
