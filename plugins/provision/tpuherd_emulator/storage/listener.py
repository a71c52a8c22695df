"""The listening socket, and the connections that it has accepted."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.storage.handler import Handler

if TYPE_CHECKING:
    from tpuherd_emulator.storage.door import Door


class Listener(ThreadingHTTPServer):
    """Accepts connections and knows those that are open."""

    request_queue_size = 512
    daemon_threads = True
    door: Door

    def __init__(self, address: tuple[str, int]) -> None:
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition()
        super().__init__(address, Handler)

    def server_bind(self) -> None:
        """Bind without asking the name service who we are."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection on a thread of its own."""
        with self._changed:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """A connection has ended, and its thread is done with it."""
        super().shutdown_request(request)
        with self._changed:
            self._open.discard(request)
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what went wrong, unless a client just went away."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)

    def hang_up(self, timeout_s: float = 10) -> None:
        """End all open connections and wait for their threads to notice."""
        with self._changed:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._changed.wait_for(lambda: not self._open, timeout_s)
