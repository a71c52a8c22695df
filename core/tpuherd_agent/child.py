"""One call of a standing agent: a forked child, and the pipes to it."""

from __future__ import annotations

import os
import select

from tpuherd_agent import mux

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Child:
    """Its pipes, seen from the agent that stands by: none of them is ever waited for."""

    def __init__(self, pid: int, stdin: int, stdout: int, stderr: int) -> None:
        self.gone = False
        """Nothing of it is left here."""
        self._pid = pid
        self._life: int | None = os.pidfd_open(pid)
        self._stdin: int | None = stdin
        self._outputs = {stdout: mux.STDOUT, stderr: mux.STDERR}
        self._input = bytearray()
        self._input_ended = False
        self._credit = mux.WINDOW_BYTES
        self._more = 0
        self._listened = True
        for descriptor in (stdin, stdout, stderr):
            os.set_blocking(descriptor, False)

    def interests(self, room: int) -> Iterator[tuple[int, int]]:
        """What to wait for: descriptors and events."""
        if self._life is not None:
            yield self._life, select.POLLIN
        if self._stdin is not None and self._input:
            yield self._stdin, select.POLLOUT
        if room and self._credit:
            yield from ((descriptor, select.POLLIN) for descriptor in self._outputs)

    def hear(self, kind: bytes, payload: bytes) -> None:
        """Takes what came for it."""
        if kind == mux.INPUT:
            self._take(payload)
        elif kind == mux.MORE:
            self._credit += mux.NUMBER.unpack(payload)[0]
        elif kind == mux.LEAVE:
            self._listened = False
            self._close_pipes()

    def serve(self, ready: set[int], room: int) -> Iterator[tuple[bytes, bytes]]:
        """Moves data; gives the frames to be sent: kind and payload."""
        if self._life in ready:
            self._end_life()
        if self._stdin is not None:
            self._feed()
        if self._more and self._listened:
            yield mux.MORE, mux.NUMBER.pack(self._more)
            self._more = 0
        for descriptor in [one for one in self._outputs if one in ready or self._life is None]:
            for data in self._read(descriptor, room):
                yield self._outputs[descriptor], data
                room -= len(data)
        yield from self._end()

    def _take(self, payload: bytes) -> None:
        self._input_ended |= not payload
        if self._stdin is None:
            self._more += len(payload)  # nobody reads it: let the sender go on
        else:
            self._input += payload

    def _feed(self) -> None:
        """Writes as much input as the child takes; one that has closed its input loses the rest."""
        assert self._stdin is not None
        try:
            while self._input:
                count = os.write(self._stdin, self._input[: mux.CHUNK_BYTES])
                del self._input[:count]
                self._more += count
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._more += len(self._input)
            self._close_stdin()
        if self._input_ended:
            self._close_stdin()

    def _read(self, descriptor: int, room: int) -> Iterator[bytes]:
        """What is there, within the credit; at its end, or if nothing more can come, the pipe is closed."""
        try:
            while room > 0 and self._credit:
                data = os.read(descriptor, min(mux.CHUNK_BYTES, self._credit))
                if not data:
                    break
                self._credit -= len(data)
                room -= len(data)
                yield data
            else:
                return
        except BlockingIOError:
            if self._may_say_more():
                return
        os.close(descriptor)
        del self._outputs[descriptor]

    def _may_say_more(self) -> bool:
        return self._life is not None

    def _end(self) -> Iterator[tuple[bytes, bytes]]:
        """After the child has ended and all of its output is on its way."""
        if self._life is not None or self._outputs:
            return
        _, status = os.waitpid(self._pid, 0)
        self._close_pipes()
        self.gone = True
        if self._listened:
            yield mux.DONE, mux.NUMBER.pack(os.waitstatus_to_exitcode(status))

    def _end_life(self) -> None:
        assert self._life is not None
        os.close(self._life)
        self._life = None

    def _close_stdin(self) -> None:
        if self._stdin is not None:
            os.close(self._stdin)
        self._stdin = None
        self._input.clear()

    def _close_pipes(self) -> None:
        self._close_stdin()
        for descriptor in self._outputs:
            os.close(descriptor)
        self._outputs.clear()


class Session(Child):
    """As a session of an SSH server, it lasts until all processes that have its outputs have closed them."""

    def _may_say_more(self) -> bool:
        return True
