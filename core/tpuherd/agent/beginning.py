"""The agent's `run` on one worker: until its first frame it may be refused, from then on it is followed."""

from __future__ import annotations

import time
from itertools import chain
from typing import TYPE_CHECKING

from tpuherd.agent.protocol import frames_of
from tpuherd.errors import RemoteError
from tpuherd.remote.parallel import in_background
from tpuherd.remote.result import Outcome, RemoteResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tpuherd.agent.answers import Frame
    from tpuherd.remote import RemoteCommand, RemoteStream, RemoteWorkers

    TellBegun = Callable[[int, Iterator[Frame]], None]
    """Worker index, and what its agent sends, as `Agents.watch`."""


class Beginning:
    """Begins at once, in a thread of its own."""

    def __init__(self, remote: RemoteWorkers, index: int, command: RemoteCommand, begun: TellBegun) -> None:
        """Begin `command`, an agent's `run`, on the worker of this index; `begun` gets what the agent sends.

        It is called at once when the workload was started, whatever other workers do.
        """
        self._remote = remote
        self._worker = next(worker for worker in remote.workers if worker.index == index)
        self._command = command
        self._began_at = time.monotonic()
        self._stream: RemoteStream | None = None
        self._given_up = False
        self._tell = begun
        self._begun = in_background(Beginning._begin, self)

    def wait(self, timeout_s: float) -> RemoteResult:
        """What came of it, exit code 0: it was started; `timeout_s` seconds after the beginning: nothing did.

        Raises:
            AgentProtocolError: what answers there is no agent, or it has another log than ours.
        """
        try:
            return self._begun.result(max(0.0, self._began_at + timeout_s - time.monotonic()))
        except TimeoutError:
            self.close()
            return self._failed(Outcome.TIMED_OUT)

    def close(self) -> None:
        """Watch no more; what was started goes on."""
        self._given_up = True
        if self._stream:
            self._stream.close()

    def _begin(self) -> RemoteResult:
        try:
            return self._first_frame()
        except RemoteError as error:
            if self._stream is None:
                return self._failed(Outcome.UNREACHABLE, str(error))
            refused = bool(self._stream.exit_code)  # a refusal is an exit code before any frame
            return self._failed(Outcome.EXITED) if refused else self._failed(Outcome.LOST, str(error))

    def _first_frame(self) -> RemoteResult:
        command = self._command
        stream = self._stream = self._remote.open_stream(
            self._worker.index, command.command, command.stdin, call=command.call
        )
        if self._given_up:
            stream.close()
        frames = frames_of(stream)
        first = next(frames)
        self._tell(self._worker.index, chain((first,), frames))
        return self._result(Outcome.EXITED, 0)

    def _failed(self, outcome: Outcome, reason: str = "") -> RemoteResult:
        code = self._stream.exit_code if self._stream and outcome is Outcome.EXITED else None
        return self._result(outcome, code, reason)

    def _result(self, outcome: Outcome, code: int | None, reason: str = "") -> RemoteResult:
        return RemoteResult(
            worker=self._worker,
            outcome=outcome,
            code=code,
            stdout="",
            stderr=self._stream.stderr if self._stream else "",
            duration_s=time.monotonic() - self._began_at,
            reason=reason,
        )
