"""An agent that stands by on one connection, and what it answers; see `tpuherd_agent.serve`."""

from __future__ import annotations

import itertools
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tpuherd.agent.bundle import bundle, standing_line
from tpuherd.holder.standing_call import Call
from tpuherd.remote import channel as session
from tpuherd_agent import mux
from tpuherd_agent.arrive import WANTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

START_S = 10.0
"""How long it may take until it stands by; whoever waits longer does without it."""
_JUNK_BYTES = 1 << 16
"""More than any login banner; then the other side is no agent."""


class StandingAgent:
    """One process on one worker; any thread may call it. A thread of its own hears what it says."""

    def __init__(self, digest: str, channel: Any) -> None:
        """Start it; one that is missing on the worker is sent there first.

        Args:
            digest: of the agent.
            channel: a new session, a paramiko `Channel`.

        Raises:
            ConnectionError: the connection was lost.
        """
        self.digest = digest
        self._channel = channel
        self._sending = threading.Lock()
        self._numbers = itertools.count(1)
        self._calls: dict[int, Call] = {}
        self._wanted = True
        self._stands = threading.Event()
        self._over = threading.Event()
        session.open_command(channel, standing_line(digest), close_input=False)
        threading.Thread(target=self._hear, name="standing agent", daemon=True).start()

    def stands_by(self, timeout_s: float) -> bool:
        """Wait until it does; false if it does not, and never will."""
        self._stands.wait(min(timeout_s, START_S))
        if not (self._stands.is_set() and self.is_alive):
            self.close()
        return self.is_alive

    @property
    def is_alive(self) -> bool:
        """False once its channel has ended, or it was told to go."""
        return not self._over.is_set() and self._wanted

    def call(self, words: Sequence[str], stdin: bytes | None) -> Call:
        """Begin a call; its input goes there while somebody listens to it.

        Raises:
            ConnectionError: it has ended; nothing was begun, or it is not known.
        """
        call = Call(next(self._numbers), self._send)
        self._calls[call.number] = call
        if self._over.is_set():  # its thread may have told all calls already
            del self._calls[call.number]
            raise ConnectionError("the agent that stood by has ended")
        call.begin("\0".join(words).encode(), stdin or b"")
        return call

    def retire(self) -> None:
        """It is of no use for further calls; it goes when it has answered those that it has."""
        self._wanted = False
        if not self._calls:
            self.close()

    def close(self) -> None:
        """End it, which ends the listening to all its calls."""
        self._wanted = False
        self._channel.close()

    def _send(self, data: bytes) -> None:
        """Send whole frames.

        Raises:
            ConnectionError: the channel has ended.
        """
        try:
            with self._sending:
                self._channel.sendall(data)
        except (EOFError, OSError) as error:
            raise ConnectionError(f"the agent that stood by has ended: {error}") from error

    def _hear(self) -> None:
        try:
            with suppress(EOFError, OSError, ValueError):
                for kind, number, payload in self._frames():
                    self._tell(kind, number, payload)
        finally:
            self._over.set()
            self._stands.set()
            self._channel.close()
            for call in list(self._calls.values()):
                call.lose()

    def _frames(self) -> Iterator[tuple[bytes, int, bytes]]:
        buffer = bytearray()
        while (start := buffer.find(mux.PREAMBLE)) < 0 and len(buffer) < _JUNK_BYTES:
            if not (data := self._channel.recv(mux.CHUNK_BYTES)):
                return
            buffer += data
            if WANTED in buffer:
                del buffer[: buffer.find(WANTED) + len(WANTED)]
                self._send(bundle().content)
        if start < 0:
            return
        del buffer[: start + len(mux.PREAMBLE)]
        self._stands.set()
        yield from mux.taken(buffer)
        while data := self._channel.recv(mux.CHUNK_BYTES):
            buffer += data
            yield from mux.taken(buffer)

    def _tell(self, kind: bytes, number: int, payload: bytes) -> None:
        call = self._calls.get(number)
        if kind in mux.LAST:
            self._calls.pop(number, None)
        if call:
            call.hear(kind, payload)
        if kind == mux.STALE or not self._wanted:
            self.retire()
