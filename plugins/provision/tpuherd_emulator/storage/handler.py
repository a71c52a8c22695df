"""One connection: HTTP/1.1 with keep-alive, on the standard library's parser."""

from __future__ import annotations

import socket
import struct
from http.client import responses
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, cast

from tpuherd_emulator.storage.body import Body
from tpuherd_emulator.storage.errors import StorageError
from tpuherd_emulator.storage.messages import Incoming
from tpuherd_emulator.storage.routes import error_response

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message

    from tpuherd_emulator.storage.door import Door
    from tpuherd_emulator.storage.messages import FilePart, Response

_INLINE_BYTES = 256 * 1024
_DRAIN_BYTES = 64 * 1024 * 1024
_NO_LINGER = struct.pack("ii", 1, 0)


class Handler(BaseHTTPRequestHandler):
    """Reads requests, has the server's `door` answer them, writes the answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 600.0
    """Seconds that a connection may be idle."""

    def do_GET(self) -> None:
        """Answer any request; the other methods are the same."""
        headers = _joined(self.headers)
        try:
            self._serve(headers, Body(self.rfile, headers, self._send_continue))
        except StorageError as error:  # so malformed that where the next request begins is unknown
            self.close_connection = True
            self._send(error_response(error, as_xml=False))

    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815

    def handle_expect_100(self) -> bool:
        """Say `100 Continue` only once somebody reads the body: a refused client need not send it."""
        return True

    def log_message(self, *_: object) -> None:
        """Be quiet: paths carry the token."""

    def _serve(self, headers: Mapping[str, str], body: Body) -> None:
        incoming = Incoming(method=self.command, target=self.path, headers=headers, body=body)
        fault = self._door.faults.take(self.command, self.path)
        if fault is None:
            self._finish(body, self._door.answer(incoming))
        elif fault.status is None:
            self._reset()
        else:
            error = StorageError(fault.status, fault.reason, "An injected fault; try again.")
            self._finish(body, error_response(error, as_xml=False))

    @property
    def _door(self) -> Door:
        return cast("Door", self.server.door)  # type: ignore[attr-defined]

    def _send_continue(self) -> None:
        if self.headers.get("expect", "").lower() == "100-continue":
            self.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _finish(self, body: Body, response: Response) -> None:
        try:
            if not self._drained(body):
                self.close_connection = True
            self._send(response)
        finally:
            response.close()

    def _drained(self, body: Body) -> bool:
        if not body.started and "expect" in self.headers:
            return body.ended
        return body.drain(_DRAIN_BYTES)

    def _send(self, response: Response) -> None:
        head = self._head(response)
        if self.command == "HEAD":
            self.connection.sendall(head)
        elif response.part is None:
            self.connection.sendall(head + response.body)
        else:
            self._send_part(head, response.part)

    def _send_part(self, head: bytes, part: FilePart) -> None:
        if part.length <= _INLINE_BYTES:
            part.file.seek(part.offset)
            self.connection.sendall(head + part.file.read(part.length))
        else:
            self.connection.sendall(head)
            self.connection.sendfile(part.file, part.offset, part.length)

    def _head(self, response: Response) -> bytes:
        lines = [f"HTTP/1.1 {response.status} {responses.get(response.status, 'Client Closed Request')}"]
        lines += [f"{name}: {value}" for name, value in response.headers.items()]
        lines += [] if response.status in (204, 304) else [f"Content-Length: {response.length}"]
        lines += ["Connection: close"] if self.close_connection else []
        text = "\r\n".join(_one_line(line) for line in lines)
        return f"{text}\r\n\r\n".encode("latin-1", errors="replace")

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.connection.close()
        self.close_connection = True


def _joined(message: Message) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in message.items():  # clients repeat some, such as x-goog-hash
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers


def _one_line(text: str) -> str:
    # Settings of objects come back as headers: none of them may begin another header.
    return text.replace("\r", " ").replace("\n", " ")
