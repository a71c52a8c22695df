"""When the lines of a kept log came: a small file beside each log.

The workers' clocks need not agree, so times are those of this machine, when it got the bytes. What came while
nobody followed has the time at which somebody followed again.
"""

from __future__ import annotations

import struct
import time
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MARK = struct.Struct("<Qd")
"""Offset in the log, and Unix seconds: what begins there came then."""
RESOLUTION_S = 0.1
"""Bytes that come so soon after others count as having come with them; it bounds the size of the file."""


def times_file(log: Path) -> Path:
    """The file of the times of a log."""
    return log.with_suffix(".times")


class TimeMarks:
    """Marks when the bytes of one log come."""

    def __init__(self, log: Path) -> None:
        """Keep the name of the log; the file is made with the first mark."""
        self._path = times_file(log)
        self._marked_at = float("-inf")

    def mark(self, offset: int) -> None:
        """Record that what begins at this offset has come now; call it before the bytes are written."""
        now = time.time()
        if 0 <= now - self._marked_at < RESOLUTION_S:
            return
        with self._path.open("ab") as file:
            file.write(MARK.pack(offset, now))
        self._marked_at = now


class LogTimes:
    """The times of one log, read as they are asked for."""

    def __init__(self, log: Path) -> None:
        """Keep the name of the log."""
        self._path = times_file(log)
        self._read = 0
        self._offsets: list[int] = []
        self._times: list[float] = []

    def at(self, offset: int) -> float | None:
        """When the byte at this offset came, in Unix seconds; `None` if nobody marked it."""
        self._read_on()
        index = bisect_right(self._offsets, offset) - 1
        return self._times[index] if index >= 0 else None

    def offset_before(self, since: float) -> int:
        """An offset before which everything came earlier than `since`."""
        self._read_on()
        index = next((i for i, at in enumerate(self._times) if at >= since), len(self._times))
        return self._offsets[index - 1] if index else 0

    def _read_on(self) -> None:
        if not self._path.exists() or self._path.stat().st_size < self._read + MARK.size:
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        whole = data[: len(data) - len(data) % MARK.size]  # a mark may just be being written
        self._read += len(whole)
        for offset, at in MARK.iter_unpack(whole):
            self._offsets.append(offset)
            self._times.append(at)
