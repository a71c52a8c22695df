"""Until the dataset is there, whoever makes it."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..claims import Claims, Holder
from ..output import layout
from ..output.finishing import finish
from .dataset import Dataset, prepare
from .pipeline import Pipeline
from .preparing import Preparer
from .room import require_room
from .standing import Standing

if TYPE_CHECKING:
    from ..input.encoding import Encoder
    from ..output.manifest import Manifest
    from .content import Content
    from .pipeline import Forward

LEASE_S = 60.0
Tell = Callable[["Manifest", int], None]
"""Gets each shard that this process committed, and how many there will be in all."""
GoingOn = Callable[[int, int], None]
"""Gets how many shards were there at the start, if any, and how many there will be in all."""
Report = Callable[[int, int], None]
"""Gets how many shards are there now, whoever has made them, and how many there will be in all."""


def _nobody(_there: int, _total: int) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One process that helps to make datasets.

    Attributes:
        holder: Who it is.
        index: Its number; workers begin at different parts.
        workers: How many there are.
        scratch: Its folder for temporary files.
        lease_s: After this long a silent worker's part is done by another.
        row_multiple: Rows of a batch are a multiple of it.
        abreast: Batches that are computed at the same time.
    """

    holder: Holder
    index: int = 0
    workers: int = 1
    scratch: Path = Path(tempfile.gettempdir())
    lease_s: float = LEASE_S
    row_multiple: int = 1
    abreast: int = 1


def run(
    content: Content,
    source: str,
    output: str,
    worker: Worker,
    encoder: Encoder,
    forward: Forward,
    tell: Tell,
    going_on: GoingOn,
    report: Report = _nobody,
) -> str:
    """Make a dataset together with all other workers that do so; returns its address when it is there.

    May be killed and started again at any time. Two runs with equal content make equal files.

    Raises:
        DatasetError: see `prepare`, `require_room` and `commit`.
    """
    folder = Path(tempfile.mkdtemp(prefix="tpuherd-activations-", dir=worker.scratch))
    try:
        dataset = prepare(content, source, output, folder)
        if dataset.place.find(layout.DATASET) is None:
            require_room(dataset, encoder, folder)
            _make(dataset, worker, encoder, forward, tell, going_on, report, folder)
        dataset.place.clear()
        return dataset.place.address
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make(
    dataset: Dataset,
    worker: Worker,
    encoder: Encoder,
    forward: Forward,
    tell: Tell,
    going_on: GoingOn,
    report: Report,
    folder: Path,
) -> None:
    total = len(dataset.plan.parts)
    claims = Claims(dataset.place, "claims", worker.holder, worker.lease_s)
    standing = Standing(dataset.place, total, report)

    def told(new: Manifest) -> None:
        tell(new, total)
        standing.one_more()

    try:
        if there := standing.look():
            going_on(there, total)
        while standing.look() < total:
            preparer = Preparer(
                dataset, claims, encoder, worker.row_multiple, folder / "input", worker.holder.nonce
            )
            begin = worker.index * total // worker.workers
            pipeline = Pipeline(dataset.place, claims, forward, told, worker.abreast)
            if not pipeline.run(preparer.open_parts(begin)):
                time.sleep(
                    min(worker.lease_s / 4, 5.0)
                )  # others have the rest: wait for them, or for their end
    finally:
        claims.close()
    finish(dataset.place, total, dataset.content.hooks, folder)
