"""Workers over connections that the holder keeps."""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from tpuherd.errors import RemoteError
from tpuherd.holder import frames
from tpuherd.holder.asking import Asking, Unheard
from tpuherd.holder.reading import begun, ending_of
from tpuherd.holder.target import Target
from tpuherd.remote.result import AgentCall, Ending, Outcome, RemoteCommand
from tpuherd.remote.stream import RemoteStream
from tpuherd.remote.workers import RemoteWorkers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tpuherd.holder.frames import Frame
    from tpuherd.model.allocation import Worker
    from tpuherd.model.cloud import SshAccess
    from tpuherd.remote.output import Listener

MARGIN_S = 20.0
"""How much longer than the workers the holder may take."""


class HeldWorkers(RemoteWorkers):
    """As `RemoteWorkers`, but the connections stay when this process ends.

    Where no holder accepts a request, this process does it itself, and asks no holder any more. A holder that
    ends in the middle of a command is a lost connection to those workers that it still waited for.
    """

    def __init__(
        self,
        workers: Sequence[Worker],
        access: SshAccess,
        known_hosts: Path,
        *,
        connect_timeout_s: float = 20.0,
    ) -> None:
        """As `RemoteWorkers`."""
        super().__init__(workers, access, known_hosts, connect_timeout_s=connect_timeout_s)
        self._target = Target(
            workers=tuple(workers),
            access=access,
            known_hosts=known_hosts,
            connect_timeout_s=connect_timeout_s,
        )

    def connect(self, deadline_s: float) -> None:
        """See `RemoteWorkers.connect`."""
        request = {"op": "connect", "target": self._target.to_header(), "deadline_s": deadline_s}
        try:
            with Asking() as asking:
                list(asking.ask(request, limit_s=deadline_s + MARGIN_S))
        except (Unheard, ConnectionError):
            super().connect(deadline_s)

    def follow_each(
        self, commands: Mapping[int, RemoteCommand], *, timeout_s: float, listener: Listener
    ) -> None:
        """See `RemoteWorkers.follow_each`."""
        request, inputs = self._request(commands, timeout_s, begins=False)
        try:
            if not frames.fits(inputs):
                raise Unheard("too much input")
            with Asking() as asking:
                answers = asking.ask(request, *inputs, limit_s=timeout_s + MARGIN_S)
                _hear(answers, set(commands), listener)
        except Unheard:
            super().follow_each(commands, timeout_s=timeout_s, listener=listener)

    def open_stream(
        self, worker_index: int, command: str, stdin: bytes | None = None, *, call: AgentCall | None = None
    ) -> RemoteStream:
        """See `RemoteWorkers.open_stream`."""
        link = self._link(worker_index)
        one = {worker_index: RemoteCommand(command=command, stdin=stdin, call=call)}
        request, inputs = self._request(one, math.inf, begins=True)
        try:
            return RemoteStream(link.worker, begun(Asking(), request, inputs))
        except Unheard:
            return super().open_stream(worker_index, command, stdin)
        except (ConnectionError, RemoteError) as error:
            raise RemoteError(f"{link.worker.name}: {error}") from error

    def _request(
        self, commands: Mapping[int, RemoteCommand], timeout_s: float, *, begins: bool
    ) -> tuple[dict[str, Any], list[bytes]]:
        """The header and the inputs, each of which is sent once however many workers share it."""
        shared = {id(c.stdin): c.stdin for c in commands.values() if c.stdin is not None}
        numbers = {key: number for number, key in enumerate(shared)}
        header = {
            "op": "run",
            "target": self._target.to_header(),
            "timeout_s": timeout_s if math.isfinite(timeout_s) else None,
            "begins": begins,
            "inputs": [len(data) for data in shared.values()],
            "commands": {
                str(index): (c.command, numbers.get(id(c.stdin)), c.mark, c.call and astuple(c.call))
                for index, c in commands.items()
            },
        }
        return header, list(shared.values())


def _hear(answers: Iterator[Frame], waiting: set[int], listener: Listener) -> None:
    """Pass on what workers say; those that the holder lost have lost their connection."""
    reason = "the connection holder did not say how it ended"
    try:
        for header, body in answers:
            if "end" in header:
                waiting.discard(header["end"])
                listener.end(header["end"], ending_of(header))
            elif "stream" in header:
                listener.feed(header["worker"], header["stream"], body)
    except ConnectionError as error:
        reason = str(error)
    for index in sorted(waiting):
        lost = f"{reason}; it may still be running"
        listener.end(index, Ending(outcome=Outcome.LOST, reason=lost))
