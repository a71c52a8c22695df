"""Many calls of a standing agent on one stream of bytes in each direction.

A stream is frames: one byte of kind, four bytes of the call's number, four bytes of length (big endian), the
payload. Whoever sends data may send `WINDOW_BYTES` of it for one call, and then as much as the other side
says with `MORE`: so a call whose data nobody takes stops no other, and both sides need a bounded memory. The
agent's stream begins with the preamble.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PREAMBLE = b"\0tpuherd-agent-serve-1\n"
"""Begins with a byte that no login banner prints."""
HEADER = struct.Struct(">cII")
NUMBER = struct.Struct(">i")

CALL = b"R"
"""To the agent: its words, with a zero byte between two."""
SHELL = "shell"
"""Instead of words of the agent, before a command line for the user's shell."""
INPUT = b"I"
"""To the agent: standard input of the call; an empty payload is its end."""
LEAVE = b"X"
"""To the agent: nobody listens to this call any more."""
STDOUT = b"O"
STDERR = b"E"
MORE = b"C"
"""Both ways: so many more bytes of data may come for this call."""
DONE = b"D"
"""From the agent: the exit code, a `NUMBER`; a signal's number is negative."""
REFUSED = b"F"
"""From the agent: nothing was begun; the payload says why."""
STALE = b"S"
"""The same, and it will refuse all further calls, too: a new agent would have other variables."""
LAST = frozenset({DONE, REFUSED, STALE})
"""Nothing follows for this call."""

WINDOW_BYTES = 1 << 20
CHUNK_BYTES = 1 << 15
LARGEST_BYTES = 1 << 20
"""No payload is longer."""


def frame(kind: bytes, number: int, payload: bytes | memoryview = b"") -> bytes:
    """One frame, ready to be sent."""
    return HEADER.pack(kind, number, len(payload)) + payload


def more(number: int, count: int) -> bytes:
    """The frame that lets `count` more bytes come."""
    return frame(MORE, number, NUMBER.pack(count))


def taken(buffer: bytearray) -> Iterator[tuple[bytes, int, bytes]]:
    """Kind, number and payload of each frame that is whole; they are taken out of the buffer.

    Raises:
        ValueError: This is no such stream.
    """
    while len(buffer) >= HEADER.size:
        kind, number, length = HEADER.unpack_from(buffer)
        if length > LARGEST_BYTES:
            raise ValueError("this is no stream of frames")
        end = HEADER.size + length
        if len(buffer) < end:
            return
        payload = bytes(buffer[HEADER.size : end])
        del buffer[:end]
        yield kind, number, payload
