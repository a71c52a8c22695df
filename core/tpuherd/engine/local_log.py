"""The log of one worker's workload, as it is kept on this machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.engine.lines import LineSplitter
from tpuherd.engine.local_trouble import is_of_the_disk
from tpuherd.engine.log_times import TimeMarks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TAIL_BYTES = 4000
AGAIN_S = 1.0


class LocalLog:
    """Takes bytes from any number of connections; the file's size says how far we are."""

    def __init__(
        self,
        path: Path,
        on_line: Callable[[str], None],
        on_full: Callable[[OSError], None] = lambda _: None,
    ) -> None:
        """Keep the name of the file.

        Args:
            path: its name.
            on_line: gets each new line.
            on_full: is told, once a second, that the disk does not take more; what it raises ends the wait.
        """
        self._path = path
        self._on_full = on_full
        self._times = TimeMarks(path)
        self._lines = LineSplitter(on_line)

    @property
    def size(self) -> int:
        """Bytes that are here."""
        return self._path.stat().st_size if self._path.exists() else 0

    @property
    def tail(self) -> str:
        """Its last lines."""
        return log_tail(self._path)

    def append(self, offset: int, data: bytes) -> None:
        """Take bytes that begin at an offset; after a reconnect they may overlap with what is here."""
        fresh = data[max(0, self.size - offset) :]
        end = self.size + len(fresh)
        while missing := end - self.size:
            self._write(fresh[-missing:])
        self._lines.feed(fresh)

    def _write(self, data: bytes) -> None:
        """Write all; on a disk that is full then only some of it, after a pause: the worker keeps its log."""
        try:
            self._times.mark(self.size)
            with self._path.open("ab") as file:
                file.write(data)
        except OSError as error:
            if not is_of_the_disk(error):
                raise
            self._on_full(error)
            time.sleep(AGAIN_S)

    def flush(self) -> None:
        """The log is complete: a last line without an end counts, too."""
        self._lines.flush()


def log_file(attempt_directory: Path, worker: int) -> Path:
    """Where a worker's log is kept on this machine."""
    return attempt_directory / f"worker-{worker}.log"


def log_tail(path: Path) -> str:
    """The last lines of a log, at most `TAIL_BYTES`, starting at a line's start if there is one."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        left_out = file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        text = file.read().decode(errors="replace")
    whole_lines = text.partition("\n")[2]
    return (whole_lines if left_out and whole_lines else text).rstrip()
