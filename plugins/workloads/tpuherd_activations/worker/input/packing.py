"""Documents of a part into batches of few shapes.

Short documents go into narrow rows, because attention costs the square of a row's width. What does not fill a
batch of its width goes into rows of the next width; only the last batch of a part has empty rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

NARROWEST = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where a document stands in a batch: `document` of the part, from `start` on in `row`."""

    document: int
    row: int
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What goes through the model at once.

    Attributes:
        tokens: [rows, width], int32.
        segments: [rows, width], int32: the document of the row, from 1; 0 is padding.
        placed: Where the documents are.
    """

    tokens: NDArray[np.int32]
    segments: NDArray[np.int32]
    placed: tuple[Placed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """Which batches there may be.

    Attributes:
        max_length: Of a document, and of the widest rows.
        batch_tokens: Of a full batch.
        row_multiple: Rows of a batch are a multiple of it, as the devices want.
    """

    max_length: int
    batch_tokens: int
    row_multiple: int

    @property
    def widths(self) -> list[int]:
        """Of rows: powers of two, and the longest."""
        found = []
        width = NARROWEST
        while width < self.max_length:
            found.append(width)
            width *= 2
        return [*found, self.max_length]

    def full(self, width: int) -> int:
        """Rows of a full batch."""
        return max(1, self.batch_tokens // width // self.row_multiple) * self.row_multiple

    def least(self, width: int, rows: int) -> int:
        """Rows of the smallest batch that has room for so many: a full one, its half, its quarter …"""
        found = self.full(width)
        while found % (2 * self.row_multiple) == 0 and found // 2 >= rows:
            found //= 2
        return found


def pack(documents: Sequence[NDArray[np.int32]], shapes: Shapes) -> list[Batch]:
    """Put all documents into batches; those without tokens are left out."""
    order = [index for index, ids in enumerate(documents) if len(ids)]
    order.sort(key=lambda index: (-len(documents[index]), index))
    rank = {index: at for at, index in enumerate(order)}
    batches: list[Batch] = []
    waiting: list[int] = []
    widths = _used(shapes, [len(documents[index]) for index in order])
    for below, width in zip([0, *widths], widths):  # noqa: B905  # the first is one longer
        waiting += [index for index in order if below < len(documents[index]) <= width]
        rows = _rows(documents, sorted(waiting, key=rank.__getitem__), width)
        ready = len(rows) if width == widths[-1] else len(rows) // shapes.full(width) * shapes.full(width)
        for begin in range(0, ready, shapes.full(width)):
            batches.append(_batch(documents, rows[begin : begin + shapes.full(width)], width, shapes))
        waiting = [index for row in rows[ready:] for index in row]
    return batches


def _used(shapes: Shapes, lengths: list[int]) -> list[int]:
    """The widths up to that of the longest document."""
    longest = max(lengths, default=0)
    above = [width for width in shapes.widths if width >= longest]
    return [width for width in shapes.widths if width < longest] + above[:1] if lengths else []


def _rows(documents: Sequence[NDArray[np.int32]], order: list[int], width: int) -> list[list[int]]:
    """Each document into the first row with room for it."""
    rows: list[list[int]] = []
    room: list[int] = []
    for index in order:
        length = len(documents[index])
        at = next((row for row, left in enumerate(room) if left >= length), len(rows))
        if at == len(rows):
            rows.append([])
            room.append(width)
        rows[at].append(index)
        room[at] -= length
    return rows


def _batch(
    documents: Sequence[NDArray[np.int32]], rows: list[list[int]], width: int, shapes: Shapes
) -> Batch:
    tokens, segments = (np.zeros((shapes.least(width, len(rows)), width), np.int32) for _ in range(2))
    placed = []
    for row, members in enumerate(rows):
        start = 0
        for segment, index in enumerate(members, 1):
            end = start + len(documents[index])
            tokens[row, start:end], segments[row, start:end] = documents[index], segment
            placed.append(Placed(document=index, row=row, start=start))
            start = end
    return Batch(tokens=tokens, segments=segments, placed=tuple(placed))
