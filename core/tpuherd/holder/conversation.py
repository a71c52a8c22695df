"""One command that talks to the holder, from its first request to its end."""

from __future__ import annotations

import logging
import select
import threading
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from tpuherd.errors import TpuherdError
from tpuherd.holder import frames
from tpuherd.holder.relaying import Relay, end_marked, marks_of
from tpuherd.holder.target import Target

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from tpuherd.holder.frames import Frame
    from tpuherd.holder.keeping import Keeper
    from tpuherd.remote import RemoteCommand, RemoteWorkers

BEAT_S = 2.0
"""How often somebody who waits for an answer hears that there is still somebody who works on it."""
log = logging.getLogger(__name__)


class Conversation:
    """Answers requests one after the other, and notices at once when the other side has gone away."""

    def __init__(self, sock: socket.socket, keeper: Keeper) -> None:
        """Keep the parts."""
        self._sock = sock
        self._keeper = keeper
        self._sending = threading.Lock()
        self._working = False
        self._left = False
        self._gone: list[Callable[[], None]] = []
        self._over = threading.Event()
        self._until_the_end = ExitStack()

    def hold(self) -> None:
        """Answer until the other side ends."""
        threading.Thread(target=self._watch, daemon=True).start()
        with suppress(OSError), self._sock, self._until_the_end:
            while frame := frames.receive(self._sock):
                self._working = True
                self._send({"accepted": True})
                self._answer(frame)
                self._working = False
        self._over.set()

    def _answer(self, frame: Frame) -> None:
        answers = {
            "run": self._run,
            "connect": self._connect,
            "reach": self._reach,
            "list": self._list,
            "close": self._close,
        }
        try:
            done = answers[frame.header["op"]](frame)
        except TpuherdError as error:
            done = {"error": str(error), "kind": type(error).__name__}
        except OSError:
            raise
        except Exception as error:
            log.exception("a request could not be answered")
            done = {"error": f"{type(error).__name__}: {error}", "kind": "RemoteError"}
        self._send(done | {"done": True})

    def _run(self, frame: Frame) -> dict[str, Any]:
        target = Target.from_header(frame.header["target"])
        commands = commands_of(frame)
        timeout_s = frame.header["timeout_s"]
        with self._keeper.use(target) as remote:
            relay = Relay(self._send, begins=frame.header["begins"])
            self._gone.append(relay.stop)
            if self._left:
                relay.stop()
            try:
                remote.follow_each(
                    commands, timeout_s=float("inf") if timeout_s is None else timeout_s, listener=relay
                )
            finally:
                self._gone.remove(relay.stop)
                self._clean_up(relay, remote, commands)
        return {}

    def _clean_up(self, relay: Relay, remote: RemoteWorkers, commands: dict[int, RemoteCommand]) -> None:
        """Whoever went away cannot end his command himself."""
        if relay.stopped:
            for mark, workers in marks_of(commands).items():
                end_marked(remote, workers, mark)

    def _connect(self, frame: Frame) -> dict[str, Any]:
        with self._keeper.use(Target.from_header(frame.header["target"])) as remote:
            remote.connect(frame.header["deadline_s"])
        return {}

    def _reach(self, frame: Frame) -> dict[str, Any]:
        """As long as this conversation lasts, the job's slices do not count as idle."""
        from tpuherd.holder.answering import reached

        return self._until_the_end.enter_context(
            reached(frame.header["job"], frame.header["workers"], frame.header["script"])
        )

    def _list(self, _frame: Frame) -> dict[str, Any]:
        from tpuherd.holder.answering import rows

        return {"rows": rows(self._keeper)}

    def _close(self, frame: Frame) -> dict[str, Any]:
        return {"closed": self._keeper.drop(frame.header["job"])}

    def _send(self, header: dict[str, Any], *parts: bytes) -> None:
        with self._sending:
            frames.send(self._sock, header, *parts)

    def _watch(self) -> None:
        """Tell those who work when the other side goes away; tell the other side that they work."""
        poller = select.poll()
        poller.register(self._sock.fileno(), select.POLLRDHUP)
        while not self._over.is_set():
            if poller.poll(BEAT_S * 1000):
                self._left = True
                for tell in list(self._gone):
                    tell()
                return
            with suppress(OSError):
                if self._working:
                    self._send({"beat": True})


def commands_of(frame: Frame) -> dict[int, RemoteCommand]:
    """The commands of a request; inputs that several share are one part of its body."""
    from tpuherd.remote import AgentCall, RemoteCommand

    inputs, start = [], 0
    for length in frame.header["inputs"]:
        inputs.append(frame.body[start : start + length])
        start += length
    return {
        int(index): RemoteCommand(
            command=text,
            stdin=None if number is None else inputs[number],
            mark=mark,
            call=call and AgentCall(digest=call[0], words=tuple(call[1])),
        )
        for index, (text, number, mark, call) in frame.header["commands"].items()
    }
