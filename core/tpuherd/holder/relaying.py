"""Output of workers on its way to the command that waits for it."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from tpuherd.errors import TpuherdError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tpuherd.remote import RemoteCommand, RemoteWorkers
    from tpuherd.remote.result import Ending, StreamName

GRACE_S = 2.0
"""Between TERM and KILL."""
END_S = 20.0
log = logging.getLogger(__name__)


class Send(Protocol):
    """Sends one message."""

    def __call__(self, header: dict[str, Any], *parts: bytes) -> None:
        """Raises `OSError` if nobody is there."""


class Relay:
    """Listens to workers and passes on what they say; a reader that is slow makes them wait."""

    def __init__(self, send: Send, *, begins: bool) -> None:
        """Keep the parts; with `begins`, the start of each command is told, too."""
        self._send = send
        self._begins = begins
        self._channels: dict[int, Any] = {}
        self._lock = threading.Lock()
        self.stopped = False

    def begin(self, index: int, channel: Any) -> None:
        """See `Listener`.

        Raises:
            ConnectionError: nobody waits for it any more.
        """
        with self._lock:
            if self.stopped:
                raise ConnectionError("nobody waits for it any more")
            self._channels[index] = channel
        if self._begins:
            self._send({"begin": index})

    def feed(self, index: int, name: StreamName, data: bytes) -> None:
        """See `Listener`."""
        self._send({"worker": index, "stream": name}, data)

    def end(self, index: int, ending: Ending) -> None:
        """See `Listener`; an end that nobody waits for is no news."""
        with suppress(OSError):
            self._send(
                {
                    "end": index,
                    "outcome": ending.outcome.value,
                    "code": ending.code,
                    "reason": ending.reason,
                    "duration_s": ending.duration_s,
                }
            )

    def stop(self) -> None:
        """Nobody waits any more: the sessions end."""
        with self._lock:
            self.stopped = True
        for channel in self._channels.values():
            channel.close()


def marks_of(commands: Mapping[int, RemoteCommand]) -> dict[str, list[int]]:
    """The workers of each mark."""
    found: dict[str, list[int]] = {}
    for index, command in commands.items():
        if command.mark:
            found.setdefault(command.mark, []).append(index)
    return found


def end_marked(remote: RemoteWorkers, workers: Sequence[int], mark: str) -> None:
    """End a command whose caller has gone away."""
    from tpuherd.agent.asking import ask

    try:
        ends = ask(remote, workers, "end", "--exec", mark, "--grace", str(GRACE_S), timeout_s=END_S).ends
    except TpuherdError:
        log.exception("a command that nobody waits for may still run")
        return
    if ends.failed:
        log.warning("a command that nobody waits for may still run: %s", ends.summary())
