"""Talking to the agents of an allocation's workers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tpuherd.agent.answers import parse_status
from tpuherd.agent.beginning import Beginning
from tpuherd.agent.bundle import agent_command, arriving_line, bundle, install_command
from tpuherd.agent.protocol import frames_of
from tpuherd.errors import WorkloadError
from tpuherd.remote import FanOut, RemoteCommand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tpuherd.agent.answers import Frame, Status
    from tpuherd.agent.beginning import TellBegun
    from tpuherd.remote import RemoteResult, RemoteWorkers

NO_AGENT = 2
NO_FILE = "can't open file"
"""How Python says that the agent is not there: exit code and words."""
START_TIMEOUT_S = 60.0
STOP_MARGIN_S = 20.0
"""How much longer than the grace time a stop may take."""


class Agents:
    """The agents of some workers, over their connections."""

    def __init__(self, remote: RemoteWorkers) -> None:
        """Keep the connections."""
        self._remote = remote
        self._bundle = bundle()

    def install(self, workers: Sequence[int] | None = None) -> None:
        """Put the agent on every worker that does not have exactly this one; raises `WorkloadError`.

        Args:
            workers: indices; `None`: all.
        """
        line, content = install_command(self._bundle), self._bundle.content
        done = self._remote.run(line, workers=workers, stdin=content, timeout_s=START_TIMEOUT_S)
        done.require(WorkloadError, "installing the agent")

    def start(self, specs: Mapping[int, dict[str, Any]]) -> FanOut:
        """Start an attempt: worker index to its specification (see `tpuherd_agent.start`).

        The specification goes through standard input: it may hold secrets. Where there is no agent, it is
        installed first; that takes two more round trips, where there is one it takes none.

        Raises:
            WorkloadError: it could not be installed.
        """
        done = self._start(specs)
        without = [one.worker.index for one in done.results if _lacks_agent(one)]
        if not without:
            return done
        self.install(without)
        again = self._start({index: specs[index] for index in without})
        return FanOut(results=tuple(sorted(_latest(done, again), key=lambda one: one.worker.index)))

    def _start(self, specs: Mapping[int, dict[str, Any]]) -> FanOut:
        commands = {index: self._command("start", stdin=_as_input(spec)) for index, spec in specs.items()}
        return self._remote.run_each(commands, timeout_s=START_TIMEOUT_S)

    def run(
        self,
        specs: Mapping[int, dict[str, Any]],
        offsets: Mapping[int, int],
        begun: TellBegun,
        *,
        new: bool = False,
    ) -> None:
        """Start an attempt as `start` does and follow it as `watch` does, in one command per worker.

        Args:
            specs: worker index to its specification.
            offsets: worker index to the byte of its log to follow from.
            begun: called for each worker that has started it, at once and in a thread of its own.
            new: the workers have no agent yet, as far as is known: send it without asking for it first.

        Raises:
            WorkloadError: a worker refused, or could not be asked: what others have started goes on.
        """
        results = self._run(specs, offsets, begun, self._arriving if new else self._running)
        if without := [index for index, result in results.items() if _lacks_agent(result)]:
            missing = {index: specs[index] for index in without}
            results |= self._run(missing, offsets, begun, self._arriving)
        ordered = tuple(results[index] for index in sorted(results))
        FanOut(results=ordered).require(WorkloadError, "starting the workload")

    def _run(
        self,
        specs: Mapping[int, dict[str, Any]],
        offsets: Mapping[int, int],
        begun: TellBegun,
        command: Callable[[dict[str, Any], int], RemoteCommand],
    ) -> dict[int, RemoteResult]:
        beginnings = {
            index: Beginning(self._remote, index, command(spec, offsets[index]), begun)
            for index, spec in specs.items()
        }
        return {index: one.wait(START_TIMEOUT_S) for index, one in beginnings.items()}

    def _running(self, spec: dict[str, Any], offset: int) -> RemoteCommand:
        return self._command("run", "--offset", str(offset), stdin=_as_input(spec))

    def _arriving(self, spec: dict[str, Any], offset: int) -> RemoteCommand:
        """The same by an agent that comes along."""
        return RemoteCommand(
            command=arriving_line(self._bundle, "run", "--offset", str(offset)),
            stdin=self._bundle.content + _as_input(spec),
        )

    def _command(self, *words: str, stdin: bytes | None = None) -> RemoteCommand:
        """All that is asked of agents here may be asked twice."""
        return agent_command(self._bundle, *words, stdin=stdin)

    def _ask(self, *words: str, workers: Sequence[int] | None = None, timeout_s: float) -> FanOut:
        one = self._command(*words)
        return self._remote.run(one.command, call=one.call, workers=workers, timeout_s=timeout_s)

    def status(self, attempt: str) -> list[Status]:
        """The state of an attempt on every worker; raises `WorkloadError` if one does not say."""
        done = self._ask("status", "--attempt", attempt, timeout_s=START_TIMEOUT_S)
        done.require(WorkloadError, "asking the agents")
        return [parse_status(result.stdout) for result in done.results]

    def stop(self, attempt: str, *, workers: Sequence[int], grace_s: float) -> FanOut:
        """End an attempt's processes: TERM, grace, KILL; returns when nothing of it is left."""
        words = ("stop", "--attempt", attempt, "--grace", str(grace_s))
        return self._ask(*words, workers=workers, timeout_s=grace_s + STOP_MARGIN_S)

    def kill(self, attempt: str, *, workers: Sequence[int]) -> list[Status]:
        """End an attempt's processes as the loss of a machine would: KILL at once; `WorkloadError` as above.

        What was not started yet is not kept from starting: its status says so.
        """
        done = self._ask("kill", "--attempt", attempt, workers=workers, timeout_s=STOP_MARGIN_S)
        done.require(WorkloadError, "killing the workload")
        return [parse_status(result.stdout) for result in done.results]

    def watch(self, worker: int, attempt: str, offset: int) -> Iterator[Frame]:
        """Follow an attempt on one worker from a log offset until it has ended and its log is all here.

        Raises:
            RemoteError: the connection was lost.
        """
        one = self._command("watch", "--attempt", attempt, "--offset", str(offset))
        return frames_of(self._remote.open_stream(worker, one.command, call=one.call))


def _as_input(spec: dict[str, Any]) -> bytes:
    return json.dumps(spec).encode()


def _lacks_agent(result: RemoteResult) -> bool:
    """True if there is none, or one that a crash has cut short: then Python does not understand it."""
    missing = result.code == NO_AGENT and NO_FILE in result.stderr
    return missing or (result.code == 1 and "SyntaxError" in result.stderr)


def _latest(first: FanOut, again: FanOut) -> Iterator[RemoteResult]:
    """The results of a second try, and those of the first for all others."""
    tried = {result.worker.index for result in again.results}
    yield from again.results
    yield from (result for result in first.results if result.worker.index not in tried)
