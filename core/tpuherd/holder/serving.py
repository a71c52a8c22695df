"""The holder's process: it listens, and ends when nobody needs it."""

from __future__ import annotations

import select
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tpuherd.holder import sockets
from tpuherd.holder.conversation import Conversation
from tpuherd.holder.keeping import Keeper
from tpuherd.holder.starting import only_one

if TYPE_CHECKING:
    import socket
    from pathlib import Path

STEP_S = 0.5
PATIENCE_S = 0.3
"""How long a holder without a connection waits for somebody who wants one."""


class Holder:
    """Serves everybody who connects; one thread each."""

    def __init__(self, listener: socket.socket, path: Path, idle_s: float) -> None:
        """Keep the parts.

        Args:
            listener: the socket to accept from.
            path: its file.
            idle_s: how long to go on when nobody asks for anything.
        """
        self._listener = listener
        self._path = path
        self._idle_s = idle_s
        self._keeper = Keeper()
        self._talking = 0
        self._lock = threading.Lock()
        self._used_at = time.monotonic()

    def serve(self) -> None:
        """Serve until nobody has asked for anything for long, or there is nothing left to hold."""
        while not self._is_over():
            if select.select([self._listener], [], [], STEP_S)[0]:
                self._accept()
            self._keeper.drop_dead()
        self._end()

    def _accept(self) -> None:
        sock, _ = self._listener.accept()
        try:
            sockets.require_ours(sock)
        except PermissionError:
            sock.close()
            return
        with self._lock:
            self._talking += 1
        threading.Thread(target=self._talk, args=(sock,), daemon=True).start()

    def _talk(self, sock: socket.socket) -> None:
        try:
            Conversation(sock, self._keeper).hold()
        finally:
            with self._lock:
                self._talking -= 1
                self._used_at = time.monotonic()

    def _is_over(self) -> bool:
        with self._lock:
            if self._talking:
                return False
            limit_s = self._idle_s if self._keeper.all() else min(self._idle_s, PATIENCE_S)
            return time.monotonic() - self._used_at > limit_s

    def _end(self) -> None:
        """Make room for the next one first; who has connected but was not heard will start it."""
        with suppress(OSError), only_one(self._path):
            self._path.unlink(missing_ok=True)
            self._listener.close()
        self._keeper.drop(None)
