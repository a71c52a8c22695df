"""A command's side of a conversation with the holder."""

from __future__ import annotations

import math
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from tpuherd.errors import RemoteError
from tpuherd.holder import frames
from tpuherd.holder.starting import give_up, reach_holder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.holder.frames import Frame

START_S = 15.0
"""How long a holder may take to say that it has heard: its imports, on a busy machine."""
SILENCE_S = 15.0
"""A holder that works says so every 2 s; one that is silent for longer is not waited for."""


class Unheard(Exception):
    """No holder has accepted a request: nothing was done."""


class Asking:
    """One conversation with this user's holder: requests one after the other, each with its answers."""

    def __init__(self) -> None:
        """Connect to the holder, which is started if there is none.

        Raises:
            Unheard: there is none to be had.
        """
        try:
            self._sock = reach_holder()
        except OSError as error:
            raise Unheard(str(error)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End it, from any thread: whoever reads an answer sees the end of the connection."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()

    def ask(self, header: dict[str, Any], *parts: bytes, limit_s: float = math.inf) -> Iterator[Frame]:
        """Send a request; give its answers as they come, the last one with `done`.

        Args:
            header: the request.
            parts: its body.
            limit_s: how long all answers may take together.

        Raises:
            Unheard: nobody accepted it; this process asks no holder any more.
            ConnectionError: the holder ended, or is silent; it is not known what was done.
            RemoteError: the holder says that it cannot be done.
        """
        try:
            self._begin_twice(header, parts)
        except OSError as error:
            self.close()
            give_up(str(error))
            raise Unheard(str(error)) from error
        return self._answers(time.monotonic() + limit_s)

    def _begin_twice(self, header: dict[str, Any], parts: tuple[bytes, ...]) -> None:
        """Connect once more to a holder that was just about to end."""
        try:
            self._begin(header, parts)
        except ConnectionError:
            self._sock.close()
            self._sock = reach_holder()
            self._begin(header, parts)

    def _begin(self, header: dict[str, Any], parts: tuple[bytes, ...]) -> None:
        self._sock.settimeout(START_S)
        frames.send(self._sock, header, *parts)
        if frames.receive(self._sock) is None:
            raise ConnectionError("it has ended")

    def _answers(self, deadline: float) -> Iterator[Frame]:
        self._sock.settimeout(SILENCE_S)
        while frame := _received(self._sock):
            if "beat" not in frame.header:
                _raise_error(frame.header)
                yield frame
            if "done" in frame.header:
                return
            if time.monotonic() > deadline:
                raise ConnectionError("the connection holder takes too long")
        raise ConnectionError("the connection holder has ended")


def _received(sock: socket.socket) -> Frame | None:
    try:
        return frames.receive(sock)
    except TimeoutError as error:
        raise ConnectionError("the connection holder is silent") from error
    except OSError as error:
        raise ConnectionError(f"the connection holder went away: {error}") from error


def _raise_error(header: dict[str, Any]) -> None:
    if "error" in header:
        from tpuherd.remote import HostKeyChangedError, UnreachableError

        known = {kind.__name__: kind for kind in (HostKeyChangedError, UnreachableError)}
        raise known.get(header["kind"], RemoteError)(header["error"])
