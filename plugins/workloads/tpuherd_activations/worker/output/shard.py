"""A shard while it is written: rows in the order of its documents, whatever the order of the batches."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..tensors import TensorFile, as_kind
from . import layout
from .statistics import Sums

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ..input.encoding import Encoded
    from ..input.packing import Batch
    from ..input.plan import Part
    from ..places import Identity
    from .hooks import Hook

THREADS = max(1, min(8, (os.cpu_count() or 1) // 4))
"""That write and add up a batch's hooks; on few cores they would be in one another's way, and the model's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A finished file of a shard: what it is for, where it is, and what it holds."""

    what: str
    path: Path
    identity: Identity


class Shard:
    """The numbers go to files at once, sums and checksums are taken on the way: nothing is read again.

    Attributes:
        part: What it is made of.
        documents: The part's documents.
        rows: How many tokens it stores.
    """

    def __init__(self, part: Part, documents: Sequence[Encoded], hooks: Sequence[Hook], folder: Path) -> None:
        self.part, self.documents = part, documents
        counts = [int(document.kept.sum()) for document in documents]
        self._starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        self.rows = int(self._starts[-1])
        self._hooks, self._folder = hooks, folder
        self._files = {hook.name: self._file(hook, folder / f"{at}.hook") for at, hook in enumerate(hooks)}
        self._sums = {hook.name: Sums(hook) for hook in hooks}
        self._threads = ThreadPoolExecutor(THREADS)

    def put(self, batch: Batch, values: Mapping[str, NDArray[Any]]) -> None:
        """Store a batch's numbers, by hook [rows, width, ...]; what is padding or dropped is left out."""
        # files, checksums and numpy let others work meanwhile
        list(self._threads.map(lambda hook: self._put(batch, values[hook.name], hook), self._hooks))

    def _put(self, batch: Batch, values: NDArray[Any], hook: Hook) -> None:
        if kept := dict(self._kept(batch, as_kind(values, hook.kind))):
            self._files[hook.name].write(kept, layout.ACTIVATIONS)
            self._sums[hook.name].add(np.concatenate(list(kept.values())))

    def _kept(self, batch: Batch, given: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
        """For each document of a batch where its rows begin in the shard, and the rows."""
        for placed in batch.placed:
            kept = self.documents[placed.document].kept
            rows = given[placed.row, placed.start : placed.start + len(kept)]
            if kept.any():
                yield int(self._starts[placed.document]), rows if kept.all() else rows[kept]

    def finish(self) -> list[Written]:
        """Close all files, with their sums and checksums; to be called once, after the last `put`."""
        self._threads.shutdown()
        files = self._files | {layout.ROWS: self._rows(), layout.SUMS: self._sums_file()}
        return [_written(what, file) for what, file in sorted(files.items())]

    def _file(self, hook: Hook, path: Path) -> TensorFile:
        shapes = {layout.ACTIVATIONS: (hook.kind, (self.rows, *hook.shape))}
        return TensorFile(path, shapes, {"hook": hook.name})

    def _rows(self) -> TensorFile:
        """Token id, document id and position of every row."""
        kinds = {layout.TOKEN_IDS: "I32", layout.DOCUMENT_IDS: "I64", layout.POSITIONS: "I32"}
        several = any(document.prompt for document in self.documents)
        kinds |= {layout.PROMPTS: "I32"} if several else {}
        shapes = {name: (kind, (self.rows,)) for name, kind in kinds.items()}
        file = TensorFile(self._folder / "rows", shapes, {})
        for index, document in enumerate(self.documents):
            begin, end = self._starts[index : index + 2]
            file.tensors[layout.TOKEN_IDS][begin:end] = document.ids[document.kept]
            file.tensors[layout.DOCUMENT_IDS][begin:end] = document.record
            file.tensors[layout.POSITIONS][begin:end] = np.flatnonzero(document.kept)
            if several:
                file.tensors[layout.PROMPTS][begin:end] = document.prompt
        return file

    def _sums_file(self) -> TensorFile:
        shapes: dict[str, tuple[str, tuple[int, ...]]] = {}
        for hook in self._hooks:
            shapes |= {f"{hook.name}.{what}": ("F64", hook.shape) for what in ("total", "squares")}
            shapes[f"{hook.name}.norm"] = ("F64", (1,))
        file = TensorFile(self._folder / "sums", shapes, {})
        for name, sums in self._sums.items():
            file.tensors[f"{name}.total"][...] = sums.total
            file.tensors[f"{name}.squares"][...] = sums.squares
            file.tensors[f"{name}.norm"][0] = sums.norm
        return file


def _written(what: str, file: TensorFile) -> Written:
    file.close()
    return Written(what=what, path=file.path, identity=file.identity())
