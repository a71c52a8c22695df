"""The body of a request, read piece by piece as it arrives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tpuherd_emulator.storage.content import PIECE_BYTES
from tpuherd_emulator.storage.errors import StorageError, invalid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class Source(Protocol):
    """A blocking binary stream, as of a socket."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes; fewer only at the end."""

    def readline(self, size: int, /) -> bytes:
        """One line."""


class Body:
    """Reads a body of known length, or a chunked one, and never a byte behind it.

    Args:
        source: The connection.
        headers: Of the request.
        begin: Called once, before the first read: sends `100 Continue` to a client that waits for it.
    """

    def __init__(self, source: Source, headers: Mapping[str, str], begin: Callable[[], None]) -> None:
        self._source = source
        self._begin: Callable[[], None] | None = begin
        self._chunked = "chunked" in headers.get("transfer-encoding", "").lower()
        self._left = 0 if self._chunked else _length(headers)
        self.ended = not self._chunked and self._left == 0

    @property
    def started(self) -> bool:
        """Whether any of it was asked for."""
        return self._begin is None

    def read(self, size: int) -> bytes:
        """Read `size` bytes; fewer only at the end of the body.

        Raises:
            ConnectionError: The client went away before the end.
        """
        if self._begin is not None and not self.ended:
            self._begin()
        self._begin = None
        result = bytearray()
        while len(result) < size and not self.ended:
            result += self._read_some(size - len(result))
        return bytes(result)

    def pieces(self) -> Iterator[bytes]:
        """The rest of the body, in pieces of at most `PIECE_BYTES`."""
        while piece := self.read(PIECE_BYTES):
            yield piece

    def read_small(self, limit_bytes: int = 16 * PIECE_BYTES) -> bytes:
        """The whole body, which is known to be small.

        Raises:
            StorageError: 413, it is larger than `limit_bytes`.
        """
        data = self.read(limit_bytes + 1)
        if len(data) > limit_bytes:
            raise StorageError(
                413, "uploadTooLarge", f"This request's body may have {limit_bytes} bytes at most."
            )
        return data

    def drain(self, limit_bytes: int) -> bool:
        """Read what is left, up to a limit; False if more is left: the connection cannot be used again."""
        while limit_bytes > 0 and (piece := self.read(min(limit_bytes, PIECE_BYTES))):
            limit_bytes -= len(piece)
        return self.ended

    def _read_some(self, size: int) -> bytes:
        if self._chunked and self._left == 0:
            self._left = self._next_chunk()
            if self.ended:
                return b""
        data = self._source.read(min(size, self._left))
        if not data:
            raise ConnectionResetError("the client went away within the body")
        self._left -= len(data)
        if self._left == 0:
            self._end_part()
        return data

    def _end_part(self) -> None:
        if self._chunked:
            self._source.readline(8)
        else:
            self.ended = True

    def _next_chunk(self) -> int:
        line = self._source.readline(1024)
        try:
            size = int(line.split(b";")[0], 16)
        except ValueError:
            raise ConnectionResetError("the client sent no chunk size") from None
        self.ended = size == 0
        while self.ended and self._source.readline(65536).strip():
            pass  # trailers
        return size


def _length(headers: Mapping[str, str]) -> int:
    text = headers.get("content-length", "0")
    if not text.isdecimal():
        raise invalid(f"Invalid Content-Length: {text!r}")
    return int(text)
