"""One call of an agent that stands by: its input, what it says, and how it ended."""

from __future__ import annotations

import math
import queue
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tpuherd.remote.result import Outcome
from tpuherd_agent import mux

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tpuherd.remote.result import StreamName

STREAMS: dict[bytes, StreamName] = {mux.STDOUT: "stdout", mux.STDERR: "stderr"}
_GRANTED_BYTES = mux.WINDOW_BYTES // 4
"""Room is granted in pieces of this size at least."""
_END = b""
"""In the queue: nothing follows."""


class Call:
    """Takes what comes in one thread, and gives it in another; what nobody takes waits on the worker."""

    def __init__(self, number: int, send: Callable[[bytes], None]) -> None:
        """Keep the parts.

        Args:
            number: of the call.
            send: sends whole frames; raises `ConnectionError`.
        """
        self.number = number
        self.is_open = True
        """False once nothing more can be heard of it."""
        self.was_left = False
        """True: nobody wants to hear more."""
        self.was_refused = False
        """True: nothing was begun."""
        self._send = send
        self._queue: queue.SimpleQueue[tuple[bytes, bytes]] = queue.SimpleQueue()
        self._ending: tuple[Outcome, int | None] = Outcome.LOST, None
        self._input = memoryview(b"")
        self._room = mux.WINDOW_BYTES
        self._feeding = threading.Condition()
        self._taken = 0

    def begin(self, words: bytes, stdin: bytes) -> None:
        """Send words, and as much of the input as the agent has room for; a thread sends the rest.

        Raises:
            ConnectionError: it is not known what was begun.
        """
        self._input = memoryview(stdin)
        self._send(mux.frame(mux.CALL, self.number, words) + self._next_input())
        if self._input:
            threading.Thread(target=self._feed, daemon=True).start()

    def hear(self, kind: bytes, payload: bytes) -> None:
        """Take a frame."""
        if kind == mux.MORE:
            with self._feeding:
                self._room += mux.NUMBER.unpack(payload)[0]
                self._feeding.notify()
        elif kind in STREAMS:
            self._queue.put((kind, payload))
        else:
            self.was_refused = kind != mux.DONE
            self._end(mux.NUMBER.unpack(payload)[0] if kind == mux.DONE else None)

    def lose(self) -> None:
        """Nothing more will come, and it is not known how the call ended."""
        self.is_open = False
        self._stop_feeding()
        self._queue.put((_END, b""))

    def chunks(self, deadline: float) -> Iterator[tuple[StreamName, bytes]]:
        """What it says, until its end.

        Raises:
            TimeoutError: that did not come before `deadline`, a `time.monotonic()`.
        """
        while True:
            kind, data = self._next(deadline)
            if kind == _END:
                return
            yield STREAMS[kind], data
            self._grant(len(data))

    def ending(self) -> tuple[Outcome, int | None]:
        """How it ended, after `chunks`; the exit code if there is one."""
        return self._ending

    def close(self) -> None:
        """Listen no more, from any thread; the call itself goes on if it needs no reader."""
        self.was_left = True
        self.lose()
        with suppress(ConnectionError):
            self._send(mux.frame(mux.LEAVE, self.number))

    def _next(self, deadline: float) -> tuple[bytes, bytes]:
        left_s = None if math.isinf(deadline) else max(0.0, deadline - time.monotonic())
        try:
            return self._queue.get(timeout=left_s)
        except queue.Empty:
            raise TimeoutError from None

    def _grant(self, count: int) -> None:
        self._taken += count
        if self._taken >= _GRANTED_BYTES:
            with suppress(ConnectionError):  # whoever reads on sees the end
                self._send(mux.more(self.number, self._taken))
            self._taken = 0

    def _end(self, code: int | None) -> None:
        if code is not None:
            self._ending = (Outcome.EXITED, code) if code >= 0 else (Outcome.SIGNALLED, None)
        self.lose()

    def _next_input(self) -> bytes:
        """Frames with as much as there is room for, and with the end of the input after its last byte."""
        now = self._input[: self._room]
        self._input = self._input[len(now) :]
        self._room -= len(now)
        pieces = [now[start : start + mux.CHUNK_BYTES] for start in range(0, len(now), mux.CHUNK_BYTES)]
        end = [] if self._input else [memoryview(b"")]
        return b"".join(mux.frame(mux.INPUT, self.number, piece) for piece in [*pieces, *end])

    def _feed(self) -> None:
        with suppress(ConnectionError):
            while self._input:
                with self._feeding:
                    self._feeding.wait_for(lambda: self._room > 0 or not self._input)
                    data = self._next_input()
                self._send(data)

    def _stop_feeding(self) -> None:
        with self._feeding:
            self._input = memoryview(b"")
            self._feeding.notify()
