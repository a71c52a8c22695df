"""The frames of a watch: how log, status and heartbeat share one stream of bytes.

A stream is the preamble, then frames: one byte of kind, four bytes of length (big endian), the payload.
"""

from __future__ import annotations

import struct

PREAMBLE = b"\0tpuherd-agent-watch-1\n"
"""Begins with a byte that no login banner prints."""
HEADER = struct.Struct(">cI")
OFFSET = struct.Struct(">Q")
TIME = struct.Struct(">d")

LOG = b"L"
"""Eight bytes of offset in the log, then the bytes themselves."""
STATUS = b"S"
"""A JSON object, the same as the `status` command prints."""
BEAT = b"B"
"""Seconds since the epoch, a double."""
FAILURE = b"E"
"""A JSON object with `error` and `code`."""

LARGEST_BYTES = 1 << 20
"""No payload is longer."""


def frame(kind: bytes, payload: bytes) -> bytes:
    """One frame, ready to be sent."""
    return HEADER.pack(kind, len(payload)) + payload
