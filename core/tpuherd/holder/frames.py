"""Messages between commands and the holder: a JSON header, and bytes."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

PROTOCOL = b"tph1"
"""Begins each message; another protocol has another word."""
LONGEST_HEADER = 1 << 24
LONGEST_BODY = 1 << 29
_START = struct.Struct("!4sII")


class Frame(NamedTuple):
    """One message."""

    header: dict[str, Any]
    body: bytes = b""


def send(sock: socket.socket, header: dict[str, Any], *parts: bytes) -> None:
    """Send one message; its body is all `parts`.

    Raises:
        OSError: the other side has gone away or does not read.
    """
    text = json.dumps(header, separators=(",", ":")).encode()
    start = _START.pack(PROTOCOL, len(text), sum(map(len, parts))) + text
    if sum(map(len, parts)) < 4096:
        sock.sendall(start + b"".join(parts))
        return
    for part in (start, *parts):
        sock.sendall(part)


def fits(parts: Sequence[bytes]) -> bool:
    """True if these parts make a body that may be sent."""
    return sum(map(len, parts)) <= LONGEST_BODY


def receive(sock: socket.socket) -> Frame | None:
    """The next message; `None` if the other side has ended between two messages.

    Raises:
        ConnectionError: it ended within one, or speaks something else.
        TimeoutError: nothing came in time.
    """
    start = _exactly(sock, _START.size, may_end=True)
    if start is None:
        return None
    protocol, header_length, body_length = _START.unpack(start)
    if protocol != PROTOCOL or header_length > LONGEST_HEADER or body_length > LONGEST_BODY:
        raise ConnectionError("the other side does not speak this protocol")
    header = _parsed(_exactly(sock, header_length) or b"")
    return Frame(header, bytes(_exactly(sock, body_length) or b""))


def _parsed(text: bytes | bytearray) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except ValueError as error:
        raise ConnectionError("the other side sent a header that is no JSON") from error
    if not isinstance(header, dict):
        raise ConnectionError("the other side sent a header that is no object")
    return header


def _exactly(sock: socket.socket, length: int, *, may_end: bool = False) -> bytearray | None:
    data = bytearray(length)
    view, filled = memoryview(data), 0
    while filled < length:
        count = sock.recv_into(view[filled:])
        if not count:
            if may_end and not filled:
                return None
            raise ConnectionError("the other side ended within a message")
        filled += count
    return data
