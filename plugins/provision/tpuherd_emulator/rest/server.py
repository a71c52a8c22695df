"""The listening socket of the REST API: a loopback address, a thread per connection."""

from __future__ import annotations

import contextlib
import secrets
import socket
import sys
import threading
from http.client import responses
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, cast

from tpuherd_emulator.rest.gateway import Gateway
from tpuherd_emulator.rest.neighbours import Neighbours
from tpuherd_emulator.rest.os_login import OsLogin
from tpuherd_emulator.rest.replies import as_json

if TYPE_CHECKING:
    from tpuherd_emulator.api.calls import Calls
    from tpuherd_emulator.rest.replies import Reply

LARGEST_BODY = 10 * 1024 * 1024
_NO_LENGTH = "A body needs a Content-Length of at most 10 MiB."
IDLE_S = 600.0


def serve(calls: Calls, project: str, user: str) -> RestServer:
    """Serve the calls of the API on a free port of 127.0.0.1.

    Args:
        calls: What is answered.
        project: The only project.
        user: Who logs in to workers.
    """
    # A token of its own: URLs are shown and logged more easily than headers.
    token = secrets.token_urlsafe(24)
    neighbours = Neighbours(project=project, os_login=OsLogin(user=user))
    return RestServer(Gateway(calls=calls, neighbours=neighbours, token=token))


class RestServer(ThreadingHTTPServer):
    """The REST API.

    Attributes:
        url: Where it is, with the token: what clients take as their endpoint, without a slash at the end.
    """

    request_queue_size = 512
    daemon_threads = True
    block_on_close = False

    def __init__(self, gateway: Gateway) -> None:
        """Listen on a free port of 127.0.0.1."""
        self.gateway = gateway
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/{gateway.token}"
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.05}, name="rest", daemon=True
        )
        self._thread.start()

    def server_bind(self) -> None:
        """Bind without asking the name service who we are."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what went wrong, unless a client just went away."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)

    def stop(self) -> None:
        """Serve no more."""
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    """One connection: HTTP/1.1 with keep-alive."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer waits for a delayed acknowledgement, 40 ms
    timeout = IDLE_S

    def do_GET(self) -> None:
        """Answer any request; the other methods are the same."""
        body = self._body()
        if body is None:
            self.close_connection = True
            self._send(as_json(411, {"error": {"code": 411, "message": _NO_LENGTH}}, {}))
            return
        self._send(cast("RestServer", self.server).gateway.answer(self.command, self.path, body))

    do_POST = do_PATCH = do_DELETE = do_PUT = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Be quiet: paths carry the token."""

    def _body(self) -> bytes | None:
        length = self.headers.get("content-length", "0")
        if "transfer-encoding" in self.headers or not length.isdecimal() or int(length) > LARGEST_BODY:
            return None
        return self.rfile.read(int(length))

    def _send(self, reply: Reply) -> None:
        """In one write: two would wait for one another."""
        lines = [
            f"HTTP/1.1 {reply.status} {responses.get(reply.status, 'Client Closed Request')}",
            "Content-Type: application/json; charset=UTF-8",
            f"Content-Length: {len(reply.body)}",
            *(["Connection: close"] if self.close_connection else []),
        ]
        head = "\r\n".join(lines) + "\r\n\r\n"
        with contextlib.suppress(ConnectionError):
            self.connection.sendall(head.encode() + reply.body)
