"""A call that is done sooner than a fork: the agent that stands by answers it by itself.

That is a small change of the code, as on almost every edit. Whoever is at work in the same folders is not
waited for, and nothing that goes wrong ends the agent: then a child does what the call asks for.
"""

from __future__ import annotations

from tpuherd_agent import mux
from tpuherd_agent.errors import LONG_WAY, AgentError
from tpuherd_agent.forking import fork
from tpuherd_agent.sync import sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tpuherd_agent.child import Child

NAME = "sync"
"""The command that is answered so."""


class AtOnce:
    """Looks like a `Child` to the agent, and becomes one if need be."""

    def __init__(
        self, words: list[str], run: Callable[[list[str]], int], want: Callable[[str], None]
    ) -> None:
        """Waits for the call's input.

        Args:
            words: Of the call.
            run: What a child does with them.
            want: Takes a script that is to run afterwards.
        """
        self.gone = False
        self._words, self._run, self._want = words, run, want
        self._content = bytearray()
        self._more = 0
        self._whole = False
        self._child: Child | None = None

    def interests(self, room: int) -> Iterator[tuple[int, int]]:
        """See `Child`."""
        if self._child:
            yield from self._child.interests(room)

    def hear(self, kind: bytes, payload: bytes) -> None:
        """See `Child`."""
        if self._child:
            self._child.hear(kind, payload)
        elif kind == mux.INPUT:
            self._content += payload
            self._more += len(payload)
            self._whole |= not payload
        elif kind == mux.LEAVE:
            self.gone = True

    def serve(self, ready: set[int], room: int) -> Iterator[tuple[bytes, bytes]]:
        """See `Child`."""
        if self._child:
            yield from self._child.serve(ready, room)
            self.gone = self._child.gone
        elif not self.gone:
            yield from self._serve()

    def _serve(self) -> Iterator[tuple[bytes, bytes]]:
        if self._more:
            yield mux.MORE, mux.NUMBER.pack(self._more)
            self._more = 0
        if not self._whole:
            return
        try:
            code, answer = self._answer()
        except Exception:  # noqa: BLE001  (a child finds it once more, and says what it is)
            yield from self._become_child()
            return
        self.gone = True
        if answer:
            yield mux.STDOUT, answer.encode() + b"\n"
        yield mux.DONE, mux.NUMBER.pack(code)

    def _answer(self) -> tuple[int, str]:
        from tpuherd_agent.__main__ import COMMANDS
        from tpuherd_agent.options import parse

        options = vars(parse(self._words, COMMANDS)[1])
        script = options.pop("ready")
        try:
            answer = sync(bytes(self._content), **options, wait=False)
        except AgentError as error:
            if error.code != LONG_WAY:
                raise
            return LONG_WAY, ""
        if answer.startswith("made"):
            self._want(script)
        return 0, answer

    def _become_child(self) -> Iterator[tuple[bytes, bytes]]:
        try:
            self._child = fork(self._words, self._run)
        except OSError as error:
            self.gone = True
            yield mux.REFUSED, str(error.strerror).encode()
            return
        for payload in (bytes(self._content), b""):
            self._child.hear(mux.INPUT, payload)
        yield from self._child.serve(set(), 0)  # nothing else may come that would make it begin
