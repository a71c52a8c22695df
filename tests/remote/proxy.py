"""A TCP proxy that can go silent: its kernel still acknowledges, but nothing passes any more."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Proxy:
    """Forwards connections from one address to another until `blackhole`."""

    def __init__(self, address: str, target: str, port: int, buffer_bytes: int = 0) -> None:
        self._target = (target, port)
        self._passing = threading.Event()
        self._passing.set()
        self._sockets: list[socket.socket] = []
        self._server = socket.create_server((address, port))
        if buffer_bytes:
            self._server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        threading.Thread(target=self._accept, daemon=True).start()

    def blackhole(self) -> None:
        """From now on, nothing passes."""
        self._passing.clear()

    def close(self) -> None:
        self._passing.set()
        for sock in [self._server, *self._sockets]:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            self._sockets += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                self._passing.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            return
