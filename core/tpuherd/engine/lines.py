"""Bytes in any pieces to whole lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_LINE = 64 * 1024
"""A line longer than this is shown in pieces, so that memory stays bounded."""


class LineSplitter:
    """Collects bytes and hands on lines as they become complete."""

    def __init__(self, sink: Callable[[str], None]) -> None:
        """Keep the sink; it gets each line without its newline."""
        self._sink = sink
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Take some bytes; a character cut in half waits for its other half."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._sink(line.decode(errors="replace"))
        if len(self._rest) > LONGEST_LINE:
            self.flush()

    def flush(self) -> None:
        """Hand on what is left as a line."""
        if self._rest:
            self._sink(self._rest.decode(errors="replace"))
        self._rest = b""
