"""Showing the logs that were kept."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.engine.lines import LineSplitter
from tpuherd.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tpuherd.output.reporter import Reporter

CHUNK = 1 << 16
POLL_S = 0.1


def show_logs(directory: Path, worker: str, reporter: Reporter, ended: Callable[[], bool] | None) -> None:
    """Show the logs of one attempt, worker by worker or as they grow.

    Args:
        directory: the attempt's folder.
        worker: only this index; empty: all.
        reporter: where the lines go.
        ended: given to follow: says when the job has ended and nothing more will come.

    Raises:
        StateError: there is no such log, and nothing to wait for.
    """
    tails: dict[Path, _Tail] = {}
    over = ended is None
    while True:
        for path in sorted(directory.glob(f"worker-{worker or '*'}.log"), key=_index):
            if path not in tails:
                tails[path] = _Tail(path, reporter)
            tails[path].show_new()
            if over:
                tails[path].close()
        if over:
            break
        over = ended() if ended else True
        time.sleep(POLL_S)
    if not tails:
        raise StateError(f"there are no logs of worker {worker or 'any'} in {directory} yet")


def _index(path: Path) -> int:
    return int(path.stem.partition("-")[2])


class _Tail:
    """One log file, shown from where it was left."""

    def __init__(self, path: Path, reporter: Reporter) -> None:
        self._file = path.open("rb")
        name = f"w{_index(path)}"
        self._lines = LineSplitter(lambda line: reporter.worker_line(name, line))

    def show_new(self) -> None:
        while data := self._file.read(CHUNK):
            self._lines.feed(data)

    def close(self) -> None:
        """Show what is left: a last line may have no end."""
        self._lines.flush()
        self._file.close()
