"""One port on every worker's address; who asks is known by the address that was asked."""

from __future__ import annotations

import selectors
import socket
import threading
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

from tpuherd_emulator.metadata.answers import Pages, answer
from tpuherd_emulator.metadata.changes import Changes

if TYPE_CHECKING:
    from collections.abc import Callable

IDLE_S = 3600.0
"""A connection that says nothing for so long is closed."""


class MetadataServer:
    """Serves the metadata of all workers from threads of this process."""

    def __init__(self, port: int, pages_of: Callable[[str], dict[str, str]]) -> None:
        """Start to serve; no worker is known yet.

        Args:
            port: The same for all workers.
            pages_of: Gives the values of the worker at an address; empty if there is none.
        """
        self._port = port
        self._pages_of = pages_of
        self._changes = Changes()
        self._selector = selectors.DefaultSelector()
        self._revision = 0
        self._listeners: dict[str, socket.socket] = {}
        threading.Thread(target=self._accept, name="metadata", daemon=True).start()

    def follow(self, revision: int, addresses: Callable[[], set[str]]) -> None:
        """Something has changed: serve other addresses if they may be others, and let who waits look again.

        Args:
            revision: Another number than the last time if the addresses may be others.
            addresses: Gives all of them.
        """
        if revision != self._revision:
            self._revision = revision
            self.serve(addresses())
        self.notify()

    def serve(self, addresses: set[str]) -> None:
        """Listen on exactly these addresses from now on."""
        for address in addresses - self._listeners.keys():
            listener = socket.create_server((address, self._port), backlog=64)
            listener.setblocking(False)  # a client may be gone again before it is accepted
            self._listeners[address] = listener
            self._selector.register(listener, selectors.EVENT_READ)
        for address in self._listeners.keys() - addresses:
            listener = self._listeners.pop(address)
            self._selector.unregister(listener)
            listener.close()

    def notify(self) -> None:
        """Let those who wait for a change look again."""
        self._changes.tell()

    def _accept(self) -> None:
        while True:
            for key, _ in self._selector.select():
                self._take(key.fileobj)

    def _take(self, listener: object) -> None:
        assert isinstance(listener, socket.socket)
        try:
            connection, client = listener.accept()
        except OSError:
            return  # the worker was removed, or the client has gone, since the selector saw it
        threading.Thread(target=self._converse, args=(connection, client), daemon=True).start()

    def _converse(self, connection: socket.socket, client: tuple[str, int]) -> None:
        connection.settimeout(IDLE_S)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        address = connection.getsockname()[0]
        try:
            _Handler(connection, client, lambda: self._pages_of(address), self._changes)
        except OSError:
            return  # the client went away
        finally:
            connection.close()


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "Metadata Server for VM"
    sys_version = ""
    wbufsize = -1  # headers and body leave in one write: two would cost a delayed acknowledgement

    def __init__(
        self, connection: socket.socket, client: tuple[str, int], pages: Pages, changes: Changes
    ) -> None:
        self._pages = pages
        self._changes = changes
        super().__init__(connection, client, None)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer; the header that protects against forged requests is required, as on the real server."""
        if self.headers.get("Metadata-Flavor") != "Google" or self.headers.get("X-Forwarded-For"):
            self._reply(403, "Missing required header: Metadata-Flavor: Google\n", "", "text/plain")
            return
        found = answer(self.path, self._pages, self._changes)
        self._reply(found.status, found.text, found.etag, found.kind)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def _reply(self, status: int, text: str, etag: str, kind: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Metadata-Flavor", "Google")
        if etag:
            self.send_header("ETag", etag)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
