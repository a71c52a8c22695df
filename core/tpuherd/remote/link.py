"""The kept connection to one worker."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from tpuherd.remote.errors import UnreachableError
from tpuherd.remote.parallel import in_background

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tpuherd.model.allocation import Worker
    from tpuherd.remote.dialer import Dialer


class Link:
    """Opened on first use, kept warm, opened again if it turns out dead before anything was sent."""

    def __init__(self, worker: Worker, connect_timeout_s: float) -> None:
        self.worker = worker
        self.connect_timeout_s = connect_timeout_s
        self._lock = threading.Lock()
        self._connection: Any = None
        self._begun: Future[Any] | None = None
        self._closed = False

    @property
    def is_open(self) -> bool:
        """True while there is a connection that was not found dead."""
        connection = self._connection
        return connection is not None and bool(connection.is_connected)

    def begin(self, dialer: Dialer) -> None:
        """Start to connect, unless that is done; whoever connects next gets what comes of it."""
        with self._lock:
            if not self.is_open and not self._begun and not self._closed:
                dial = partial(dialer.dial, timeout_s=self.connect_timeout_s)
                self._begun = in_background(dial, self.worker)

    def connect(self, dialer: Dialer, deadline: float) -> Any:
        """The live connection, a fabric `Connection`; `deadline` is a `time.monotonic()`.

        Raises:
            UnreachableError: the worker cannot be reached.
        """
        with self._lock:
            if self._connection is None or not self._connection.is_connected:
                self._drop()
                timeout_s = min(self.connect_timeout_s, max(0.001, deadline - time.monotonic()))
                self._connection = self._await(timeout_s) or dialer.dial(self.worker, timeout_s)
            connection = self._connection
            if self._closed:
                self._drop()
                raise UnreachableError("its connection was closed by this process")
            return connection

    def channel(self, dialer: Dialer, deadline: float) -> Any:
        """A new session, a paramiko `Channel`; nothing runs in it yet.

        Raises:
            UnreachableError: the worker cannot be reached, or refuses another session.
        """
        warm = self._connection
        connection = self.connect(dialer, deadline)
        try:
            return _session(connection, deadline)
        except UnreachableError:
            if connection is not warm or connection.is_connected:
                raise
        return _session(self.connect(dialer, deadline), deadline)

    def close(self) -> None:
        """Hang up for good; whoever still waits for a command sees it as lost."""
        self._closed = True
        self._drop()  # without the lock: who holds it to connect may take long, and then hangs up himself
        if self._begun:
            self._begun.add_done_callback(_not_wanted)

    def _await(self, timeout_s: float) -> Any:
        """The connection that was begun, if one was, and if it still stands."""
        begun, self._begun = self._begun, None
        if begun is None:
            return None
        try:
            connection = begun.result(timeout_s)
        except TimeoutError:
            begun.add_done_callback(_not_wanted)
            raise UnreachableError(f"it did not answer within {timeout_s:.1f} s") from None
        return connection if connection.is_connected else None

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and connection.transport is not None:
            _hang_up(connection)


def _hang_up(connection: Any) -> None:
    """Wake the thread that reads the socket: it polls, and closing many connections would wait for each."""
    with suppress(OSError):  # already closed
        connection.transport.sock.shutdown(socket.SHUT_RDWR)
    connection.client.close()


def _not_wanted(begun: Future[Any]) -> None:
    if not begun.exception():
        _hang_up(begun.result())


def _session(connection: Any, deadline: float) -> Any:
    import paramiko

    timeout_s = max(0.001, deadline - time.monotonic())
    try:
        return connection.transport.open_session(timeout=timeout_s)
    except paramiko.ChannelException as error:
        raise UnreachableError(f"it refuses another session: {error.text}") from error
    except (EOFError, OSError, paramiko.SSHException) as error:
        raise UnreachableError(f"no session could be opened on its connection: {error}") from error
