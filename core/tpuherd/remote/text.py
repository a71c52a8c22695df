"""Output of commands: cut into lines, and kept within bounds."""

from __future__ import annotations

import codecs

_LINE_BYTES = 1 << 16


class LineSplitter:
    """Turns chunks of bytes into lines; what is no UTF-8 becomes U+FFFD, characters cut by chunks stay whole.

    A line longer than 64 KiB comes in pieces, so that output without line ends needs no more memory.
    """

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that `chunk` completes, without their line ends."""
        whole, newline, self._pending = (self._pending + chunk).rpartition(b"\n")
        lines = whole.decode("utf-8", "replace").split("\n") if newline else []
        while len(self._pending) > _LINE_BYTES:
            piece, used = codecs.utf_8_decode(self._pending[:_LINE_BYTES], "replace", False)
            self._pending = self._pending[used:]
            lines.append(piece)
        return [line.removesuffix("\r") for line in lines]

    def rest(self) -> list[str]:
        """The last line, if it has no line end."""
        pending, self._pending = self._pending, b""
        return [pending.decode("utf-8", "replace").removesuffix("\r")] if pending else []


class Excerpt:
    """Keeps the first and the last half of `limit` bytes of an output of any length."""

    def __init__(self, limit: int) -> None:
        self._half = max(1, limit // 2)
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    def feed(self, chunk: bytes) -> None:
        """Add output."""
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:] if room else chunk
        if len(self._tail) > 2 * self._half:
            self._trim()

    def text(self) -> str:
        """What was kept, with a mark where something is missing."""
        self._trim()
        if not self._left_out:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, _ = codecs.utf_8_decode(self._head, "replace", False)
        tail = self._tail.lstrip(bytes(range(0x80, 0xC0))).decode("utf-8", "replace")
        return f"{head}\n[... {self._left_out:,} bytes left out ...]\n{tail}"

    def _trim(self) -> None:
        surplus = max(0, len(self._tail) - self._half)
        del self._tail[:surplus]
        self._left_out += surplus
