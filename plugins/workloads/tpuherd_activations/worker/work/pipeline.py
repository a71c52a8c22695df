"""Model, copies to the host, files and uploads at the same time, with bounded queues between them.

At most: `FLYING` batches on the devices, `WAITING` batches in memory, `UNCOMMITTED` shards on their way to
the bucket, and one part that is being prepared.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ClaimLostError
from ..output.commit import commit
from ..output.layout import manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..claims import Claims
    from ..input.packing import Batch
    from ..output.manifest import Manifest
    from ..places import Place
    from .preparing import Work

Forward = Callable[["NDArray[np.int32]", "NDArray[np.int32]"], Mapping[str, Any]]
"""Tokens and segments [rows, width] to hooks [rows, width, ...]; it may return before they are computed."""
FLYING, WAITING, UNCOMMITTED = 2, 4, 2


class Pipeline:
    """Computes parts and commits them, `abreast` batches at the same time."""

    def __init__(
        self,
        place: Place,
        claims: Claims,
        forward: Forward,
        committed: Callable[[Manifest], None],
        abreast: int = 1,
    ) -> None:
        self._place, self._claims, self._forward, self._tell = place, claims, forward, committed
        self._ahead, self._writer = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._committer = ThreadPoolExecutor(UNCOMMITTED)
        self._starters = [ThreadPoolExecutor(1) for _ in range(abreast)]
        self._turns = cycle(self._starters)  # JAX computes in turn what one thread has started
        self._compiled: set[tuple[int, ...]] = set()
        self._flying: deque[tuple[Work, Batch, Future[Mapping[str, Any]]]] = deque()
        self._waiting: deque[Future[None]] = deque()
        self._uncommitted: deque[Future[None]] = deque()

    def run(self, works: Iterator[Work]) -> int:
        """Do all of them; returns how many. An error of any thread is raised here."""
        count = 0
        try:
            upcoming = self._ahead.submit(next, works, None)
            while (work := upcoming.result()) is not None:
                upcoming = self._ahead.submit(next, works, None)
                self._compute(work)
                count += 1
            self._drain()
        finally:
            for pool in (self._ahead, *self._starters, self._writer, self._committer):
                pool.shutdown(wait=True, cancel_futures=True)
        return count

    def _compute(self, work: Work) -> None:
        """Batches follow one another without a gap, also from part to part."""
        try:
            for batch in work.batches:
                work.claim.check()
                self._flying.append((work, batch, self._started(batch)))
                if len(self._flying) > FLYING:
                    self._land()
        except ClaimLostError:
            self._give_up(work)  # whoever has it now does it again from the beginning
        if not work.batches:
            self._seal(work)

    def _started(self, batch: Batch) -> Future[Mapping[str, Any]]:
        started = next(self._turns).submit(self._start, batch)
        if batch.tokens.shape not in self._compiled:
            started.result()  # compiled once, not by each thread
            self._compiled.add(batch.tokens.shape)
        return started

    def _start(self, batch: Batch) -> Mapping[str, Any]:
        return _copied(self._forward(batch.tokens, batch.segments))

    def _land(self) -> None:
        """Take the oldest batch from the devices, and have it written."""
        work, batch, started = self._flying.popleft()
        host = {name: np.asarray(value) for name, value in started.result().items()}
        _bounded(self._waiting, WAITING)
        self._waiting.append(self._writer.submit(work.shard.put, batch, host))
        if batch is work.batches[-1]:
            self._seal(work)

    def _seal(self, work: Work) -> None:
        """After the shard's last batch: the writer comes to it when all before are written."""
        _bounded(self._uncommitted, UNCOMMITTED - 1)
        written = self._writer.submit(lambda: None)
        self._uncommitted.append(self._committer.submit(self._commit, work, written))

    def _commit(self, work: Work, written: Future[None]) -> None:
        written.result()
        try:
            work.claim.check()
            self._tell(commit(self._place, work.shard))
        except ClaimLostError:
            pass  # also if it was only renewed too late: the part is claimed again, or was done by others
        except FileNotFoundError:
            if self._place.find(manifest(work.shard.part.index)) is None and work.claim.held:
                raise
        self._give_up(work)

    def _give_up(self, work: Work) -> None:
        self._claims.drop(work.claim)
        self._place.sweep(work.scratch)

    def _drain(self) -> None:
        while self._flying:
            self._land()
        _bounded(self._waiting, 0)
        _bounded(self._uncommitted, 0)


def _bounded(futures: deque[Future[None]], most: int) -> None:
    """Wait until no more than so many are left."""
    while len(futures) > most:
        futures.popleft().result()


def _copied(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Start the copies to the host, for arrays that can."""
    for value in values.values():
        if hasattr(value, "copy_to_host_async"):
            value.copy_to_host_async()
    return values
