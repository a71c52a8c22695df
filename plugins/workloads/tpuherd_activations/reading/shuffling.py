"""The order of rows, and their batches, prepared by a thread."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Item = TypeVar("Item")


def in_groups(begins: NDArray[np.int64], mix: int, seed: int | None) -> Iterator[NDArray[np.int64]]:
    """Row numbers, a group of shards at a time.

    Args:
        begins: See `Shards.begins`.
        mix: Shards of a group; rows are shuffled within it.
        seed: None: rows in their order.
    """
    shards = np.arange(len(begins) - 1)
    rng = np.random.default_rng(seed)
    if seed is not None:
        rng.shuffle(shards)
    for at in range(0, len(shards), mix):
        rows = np.concatenate([np.arange(begins[one], begins[one + 1]) for one in shards[at : at + mix]])
        if seed is not None:
            rng.shuffle(rows)
        yield rows


def in_batches(groups: Iterator[NDArray[np.int64]], size: int) -> Iterator[NDArray[np.int64]]:
    """Row numbers in batches of one size, the last may be smaller; batches may span groups."""
    rest = np.empty(0, np.int64)
    for rows in groups:
        rest = np.concatenate([rest, rows])
        full = len(rest) // size * size
        yield from (rest[begin : begin + size] for begin in range(0, full, size))
        rest = rest[full:]
    if len(rest):
        yield rest


def ahead(items: Iterator[Item], depth: int) -> Iterator[Item]:
    """Items that a thread takes before they are asked for; its error is raised here."""
    waiting: queue.Queue[Any] = queue.Queue(depth)
    stop = threading.Event()
    thread = threading.Thread(target=_fill, args=(items, waiting, stop), name="prefetch", daemon=True)
    thread.start()
    try:
        while not isinstance(item := waiting.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        stop.set()
        thread.join()


class _End:
    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def _fill(items: Iterator[Any], waiting: queue.Queue[Any], stop: threading.Event) -> None:
    error: BaseException | None = None
    try:
        for item in items:
            if not _put(waiting, item, stop):
                return
    except BaseException as caught:  # noqa: BLE001  # it is raised where the items are used
        error = caught
    _put(waiting, _End(error), stop)


def _put(waiting: queue.Queue[Any], item: Any, stop: threading.Event) -> bool:
    """False if nobody wants it any more."""
    while not stop.is_set():
        try:
            waiting.put(item, timeout=0.1)
        except queue.Full:
            continue
        return True
    return False
