"""`serve`: one agent that stands by on a channel, and whose children answer as agents of their own would.

Each call gets a fork of this process, with standard streams of its own; what it would have to import is there
already. A user's command gets a shell, as in an SSH session. Only what takes less time than a fork is done
here, see `at_once`. This process never waits for one of them, nor for its reader: it keeps
`mux.WINDOW_BYTES` of each call at most. It ends when the channel does; its children then go on as in an SSH
session that has ended.
"""

from __future__ import annotations

import gc
import os
import select
import sys
from contextlib import suppress

from tpuherd_agent import at_once, mux
from tpuherd_agent.afterwards import Afterwards
from tpuherd_agent.forking import fork, spawn
from tpuherd_agent.surroundings import Surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_agent.at_once import AtOnce
    from tpuherd_agent.child import Child

MOST_CALLS = 64
"""At the same time: more get a session of their own."""
FULL_BYTES = 1 << 20
"""So much may wait for the channel; then nothing more is read from children."""


def serve(source: int, sink: int, run: Callable[[list[str]], int]) -> None:
    """Answers calls until the channel ends.

    Args:
        source: Descriptor of the channel's input.
        sink: Descriptor of its output.
        run: Does in a child what a call's words ask for; returns the exit code.

    Raises:
        OSError: The channel cannot be used.
    """
    _import_all()
    gc.freeze()  # children leave what is here alone, and need not copy it
    server = _Server(source, sink, run)
    try:
        with suppress(BrokenPipeError):
            server.serve()
    finally:
        server.afterwards.run()


def _import_all() -> None:
    """What most calls need."""
    from tpuherd_agent import spec, start, stop, sync, watch  # noqa: F401


class _Server:
    def __init__(self, source: int, sink: int, run: Callable[[list[str]], int]) -> None:
        self._source, self._sink, self._run = source, sink, run
        self._heard = bytearray()
        self._to_say = bytearray(mux.PREAMBLE)
        self._children: dict[int, Child | AtOnce] = {}
        self.afterwards = Afterwards()
        self._surroundings = Surroundings()
        self._open = True

    def serve(self) -> None:
        os.set_blocking(self._sink, False)
        while self._open:
            ready = self._ready()
            if self._source in ready:
                self._hear()
            for number, child in list(self._children.items()):
                self._serve(number, child, ready)
            self._say()
            self.afterwards.run_due()

    def _ready(self) -> set[int]:
        poller = select.poll()
        poller.register(self._source, select.POLLIN)
        if self._to_say:
            poller.register(self._sink, select.POLLOUT)
        for child in self._children.values():
            for descriptor, events in child.interests(self._room):
                poller.register(descriptor, events)
        return {descriptor for descriptor, _ in poller.poll(self.afterwards.left_ms)}

    @property
    def _room(self) -> int:
        return max(0, FULL_BYTES - len(self._to_say))

    def _hear(self) -> None:
        with suppress(BlockingIOError):
            data = os.read(self._source, mux.CHUNK_BYTES)
            self._open = bool(data)
            self._heard += data
        for kind, number, payload in mux.taken(self._heard):
            if kind == mux.CALL:
                self._begin(number, payload)
            elif number in self._children:
                self._children[number].hear(kind, payload)

    def _begin(self, number: int, payload: bytes) -> None:
        if changed := self._surroundings.changed:
            self._refuse(mux.STALE, number, changed)
        elif len(self._children) >= MOST_CALLS:
            self._refuse(mux.REFUSED, number, "too many calls at a time")
        else:
            self._take(number, payload.decode().split("\0"))

    def _take(self, number: int, words: list[str]) -> None:
        if words[0] == at_once.NAME:
            self._children[number] = at_once.AtOnce(words, self._run, self.afterwards.want)
            return
        try:
            self._children[number] = spawn(words[1]) if words[0] == mux.SHELL else fork(words, self._run)
        except OSError as error:
            self._refuse(mux.REFUSED, number, str(error.strerror))

    def _refuse(self, kind: bytes, number: int, why: str) -> None:
        self._to_say += mux.frame(kind, number, why.encode())

    def _serve(self, number: int, child: Child | AtOnce, ready: set[int]) -> None:
        for kind, payload in child.serve(ready, self._room):
            self._to_say += mux.frame(kind, number, payload)
        if child.gone:
            del self._children[number]

    def _say(self) -> None:
        with suppress(BlockingIOError):
            while self._to_say:
                del self._to_say[: os.write(self._sink, self._to_say[: mux.CHUNK_BYTES])]


def run_main(words: list[str]) -> int:
    """The agent's command line in a child; returns the exit code of a process that had it as its own."""
    from tpuherd_agent.__main__ import main

    sys.argv[1:] = words
    code = 0
    try:
        main()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError:
        return 120  # as Python has it
    return code
