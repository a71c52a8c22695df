"""All workers of an allocation over SSH."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Self

from tpuherd.errors import RemoteError
from tpuherd.remote import channel as session
from tpuherd.remote.arrival import Arrival
from tpuherd.remote.exchange import exchange
from tpuherd.remote.known_hosts import KnownHosts
from tpuherd.remote.link import Link
from tpuherd.remote.output import Gathering
from tpuherd.remote.parallel import in_parallel, one_at_a_time
from tpuherd.remote.result import RemoteCommand
from tpuherd.remote.stream import RemoteStream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tpuherd.model.allocation import Worker
    from tpuherd.model.cloud import SshAccess
    from tpuherd.remote.dialer import Dialer
    from tpuherd.remote.output import Listener
    from tpuherd.remote.result import AgentCall, FanOut, Line


class RemoteWorkers:
    """Runs commands on workers over kept connections, a thread per worker; safe to use from several threads.

    Connections are opened on first use. A worker that goes silent is noticed within 10 s. Time-outs and lost
    connections kill nothing on the worker, they end the waiting. `known_hosts` is made if there is none.
    """

    def __init__(
        self,
        workers: Sequence[Worker],
        access: SshAccess,
        known_hosts: Path,
        *,
        connect_timeout_s: float = 20.0,
    ) -> None:
        self.workers = tuple(workers)
        self._access = access
        self._known_hosts = KnownHosts(known_hosts)
        self._links = {worker.index: Link(worker, connect_timeout_s) for worker in workers}
        self._lock = threading.Lock()
        self._made: Dialer | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def connected(self) -> tuple[int, ...]:
        """Indices of the workers with an open connection."""
        return tuple(index for index, link in self._links.items() if link.is_open)

    def begin(self, workers: Sequence[int]) -> None:
        """Start to connect, and return at once; only to workers whose host key was seen before.

        Args:
            workers: Indices.

        Raises:
            RemoteError: as `run`.
        """
        for link in map(self._link, workers):
            if self._known_hosts.keys(link.worker.host_key_name):
                link.begin(self._dialer())

    def connect(self, deadline_s: float) -> None:
        """Wait until all workers answer, at most `deadline_s` seconds; pauses between tries grow from 50 ms.

        Raises:
            RemoteError: how many answered, and for each missing worker why; at once if a host key changed.
        """
        Arrival(self._dialer(), time.monotonic() + deadline_s).wait_for(list(self._links.values()))

    def run(
        self,
        command: str,
        *,
        workers: Sequence[int] | None = None,
        stdin: bytes | None = None,
        timeout_s: float,
        on_line: Callable[[Worker, Line], None] | None = None,
        capture_bytes: int = 1 << 20,
        mark: str = "",
        call: AgentCall | None = None,
    ) -> FanOut:
        """Run one command on all workers, or on those with the given indices, at once. Failures are results.

        Args:
            command: For the worker's shell; build it with `quote`.
            workers: Indices; `None`: all.
            stdin: The same input for all.
            timeout_s: For each worker, including connecting. The remote process is *not* killed by it.
            on_line: Called with each line as it comes; never by two threads at the same time.
            capture_bytes: How much of each stream of each worker is kept: its head and its tail.
            mark: See `RemoteCommand`.
            call: See `RemoteCommand`.

        Raises:
            RemoteError: an index is unknown, or the private key cannot be used; nothing was started.
        """
        chosen = self._links if workers is None else workers
        same = RemoteCommand(command=command, stdin=stdin, mark=mark, call=call)
        return self.run_each(
            dict.fromkeys(chosen, same), timeout_s=timeout_s, on_line=on_line, capture_bytes=capture_bytes
        )

    def run_each(
        self,
        commands: Mapping[int, RemoteCommand],
        *,
        timeout_s: float,
        on_line: Callable[[Worker, Line], None] | None = None,
        capture_bytes: int = 1 << 20,
    ) -> FanOut:
        """As `run`, with a command and an input for each worker index."""
        chosen = {index: commands[index] for index in sorted(commands) if self._link(index)}
        told = Gathering(
            [self._links[index].worker for index in chosen],
            capture_bytes,
            one_at_a_time(on_line) if on_line else None,
        )
        self.follow_each(chosen, timeout_s=timeout_s, listener=told)
        return told.fan_out

    def follow_each(
        self, commands: Mapping[int, RemoteCommand], *, timeout_s: float, listener: Listener
    ) -> None:
        """What `run_each` is made of: `listener` hears every worker until all have ended."""
        one = partial(exchange, dialer=self._dialer(), timeout_s=timeout_s, listener=listener)
        in_parallel(lambda index: one(self._link(index), commands[index]), commands)

    def open_stream(
        self, worker_index: int, command: str, stdin: bytes | None = None, *, call: AgentCall | None = None
    ) -> RemoteStream:
        """Start a command whose output is read as it arrives, for as long as it lasts.

        Args:
            worker_index: Of the worker.
            command: See `RemoteCommand`, as its `stdin` and its `call`.
            stdin: Its input.
            call: What does the same where an agent stands by; nobody does here.

        Raises:
            RemoteError: the worker cannot be reached, or the connection was lost while starting.
        """
        link = self._link(worker_index)
        try:
            channel = link.channel(self._dialer(), time.monotonic() + link.connect_timeout_s)
            session.start(channel, RemoteCommand(command=command, stdin=stdin, call=call))
        except (ConnectionError, RemoteError) as error:
            raise RemoteError(f"{link.worker.name}: {error}") from error
        return RemoteStream(link.worker, session.ChannelSource(channel))

    def close(self) -> None:
        """Hang up everywhere, for good; commands that still run are left to themselves."""
        in_parallel(Link.close, self._links.values())

    def _link(self, index: int) -> Link:
        try:
            return self._links[index]
        except KeyError:
            names = ", ".join(worker.name for worker in self.workers)
            raise RemoteError(f"there is no worker {index} here, only {names or 'none'}") from None

    def _dialer(self) -> Dialer:
        from tpuherd.remote.dialer import Dialer

        with self._lock:
            if self._made is None:
                self._made = Dialer(self._access, self._known_hosts)
            return self._made
