"""Showing the logs that were kept."""

from __future__ import annotations

import heapq
import time
from itertools import chain
from typing import TYPE_CHECKING

from tpuherd.engine.lines import LONGEST_LINE
from tpuherd.engine.log_times import LogTimes
from tpuherd.errors import StateError
from tpuherd.output.log_lines import LogLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tpuherd.output.log_lines import LogView

POLL_S = 0.1


def show_logs(
    directory: Path, view: LogView, show: Callable[[LogLine], None], ended: Callable[[], bool] | None
) -> None:
    """Show the logs of one attempt, worker by worker or in the order in which they came.

    Args:
        directory: the attempt's folder.
        view: which lines.
        show: called with each line.
        ended: given to follow: says when the job has ended and nothing more will come.

    Raises:
        StateError: there is no such log, and nothing to wait for.
    """
    tails: dict[Path, _Tail] = {}
    over = False
    while not over:
        over = ended is None or ended()  # asked first: what came before the end is shown
        for path in _logs(directory, view):
            tails.setdefault(path, _Tail(path, view))
        for line in _together([tail.lines(last=over) for tail in tails.values()], view):
            show(line)
        if not over:
            time.sleep(POLL_S)
    if not tails:
        who = "any" if view.workers is None else ", ".join(map(str, sorted(view.workers)))
        raise StateError(f"there are no logs of worker {who} in {directory} yet")


def _together(streams: list[Iterator[LogLine]], view: LogView) -> Iterator[LogLine]:
    if not view.merged:
        return chain.from_iterable(streams)
    return heapq.merge(*streams, key=lambda line: line.at or 0.0)


def _logs(directory: Path, view: LogView) -> list[Path]:
    # what scripts of `setup` printed comes before what the workload printed
    found = sorted([*directory.glob("setup-*.log"), *directory.glob("worker-*.log")], key=_index)
    return [path for path in found if view.workers is None or _index(path) in view.workers]


def _index(path: Path) -> int:
    return int(path.stem.partition("-")[2])


class _Tail:
    """One log file, shown from where it was left."""

    def __init__(self, path: Path, view: LogView) -> None:
        self._path = path
        self._view = view
        self._times = LogTimes(path)
        self._offset = 0 if view.since is None else self._times.offset_before(view.since)

    def lines(self, *, last: bool) -> Iterator[LogLine]:
        """The lines that are new; with `last` also what has no end yet."""
        with self._path.open("rb") as file:
            file.seek(self._offset)
            while data := file.readline(LONGEST_LINE):
                if not (data.endswith(b"\n") or len(data) == LONGEST_LINE or last):
                    return
                line = self._line(data)
                self._offset += len(data)
                if self._view.shows(line):
                    yield line

    def _line(self, data: bytes) -> LogLine:
        text = data.removesuffix(b"\n").decode(errors="replace")
        return LogLine(worker=_index(self._path), text=text, at=self._times.at(self._offset))
