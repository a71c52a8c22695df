"""Documents of a part into batches of few shapes.

Short documents fill up the rows of long ones; the others go into narrow rows, because attention costs the
square of a row's width. What does not fill a batch of its width goes into rows of the next width; only the
last batch of a part has empty rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
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
        """Rows of the smallest batch with room for so many: a full one, its half, its quarter, and so on."""
        found = self.full(width)
        while found % (2 * self.row_multiple) == 0 and found // 2 >= rows:
            found //= 2
        return found


def pack(documents: Sequence[NDArray[np.int32]], shapes: Shapes) -> list[Batch]:
    """Put all documents into batches; those without tokens are left out."""
    order = [index for index, ids in enumerate(documents) if len(ids)]
    order.sort(key=lambda index: (-len(documents[index]), index))
    widths = _used(shapes, [len(documents[index]) for index in order])
    rows = _placed(documents, order, widths)
    batches: list[Batch] = []
    waiting: list[int] = []
    for width in widths:
        waiting.sort(key=lambda index: (-len(documents[index]), index))
        here = rows[width] + _rows(documents, waiting, width)
        each = shapes.full(width)
        ready = len(here) if width == widths[-1] else len(here) // each * each
        batches += [
            _batch(documents, here[begin : min(begin + each, ready)], width, shapes)
            for begin in range(0, ready, each)
        ]
        waiting = [index for row in here[ready:] for index in row]
    return batches


def _used(shapes: Shapes, lengths: list[int]) -> list[int]:
    """The widths up to that of the longest document."""
    longest = max(lengths, default=0)
    above = [width for width in shapes.widths if width >= longest]
    return [width for width in shapes.widths if width < longest] + above[:1] if lengths else []


def _placed(
    documents: Sequence[NDArray[np.int32]], order: list[int], widths: list[int]
) -> dict[int, list[list[int]]]:
    """Rows by width: the longest documents' rows first, filled up with shorter ones, then narrower rows."""
    found: dict[int, list[list[int]]] = {}
    for below, width in reversed(list(pairwise([0, *widths]))):
        own = [index for index in order if len(documents[index]) > below]
        rest = [index for index in order if len(documents[index]) <= below]
        found[width] = _rows(documents, own, width)
        order = _filled(documents, rest, found[width], width)
    return found


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


def _filled(
    documents: Sequence[NDArray[np.int32]], order: list[int], rows: list[list[int]], width: int
) -> list[int]:
    """Add documents to rows that have room; returns those for which there is none."""
    room = [width - sum(len(documents[index]) for index in row) for row in rows]
    left = []
    for index in order:
        length = len(documents[index])
        at = next((row for row, free in enumerate(room) if free >= length), None)
        if at is None:
            left.append(index)
            continue
        rows[at].append(index)
        room[at] -= length
    return left


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
