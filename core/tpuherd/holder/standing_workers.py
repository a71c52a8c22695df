"""Workers whose agents stand by, each on the connection that is kept to it."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tpuherd.agent.bundle import bundle
from tpuherd.holder.post import Post
from tpuherd.remote.exchange import exchange
from tpuherd.remote.parallel import in_background, in_parallel
from tpuherd.remote.workers import RemoteWorkers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tpuherd.model.allocation import Worker
    from tpuherd.model.cloud import SshAccess
    from tpuherd.remote import RemoteCommand
    from tpuherd.remote.dialer import Dialer
    from tpuherd.remote.output import Listener

QUIET_S = 1.0
"""After a user's command, before agents are started for the next."""


class StandingWorkers(RemoteWorkers):
    """As `RemoteWorkers`, but an agent that stands by answers calls of the agent; the first starts it.

    Where that cannot be, or where it has ended before it said anything, the command runs in a session of its
    own: calls may be repeated. Users' commands go the same way, never twice, to agents that stand by already;
    after a command that found none, they are started.
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
        self._posts = {index: Post(link) for index, link in self._links.items()}
        self._preparing = threading.Lock()

    def follow_each(
        self, commands: Mapping[int, RemoteCommand], *, timeout_s: float, listener: Listener
    ) -> None:
        """See `RemoteWorkers.follow_each`."""
        one = partial(self._one, dialer=self._dialer(), timeout_s=timeout_s, listener=listener)
        in_parallel(lambda index: one(index, commands[index]), commands)
        if any(command.mark for command in commands.values()):
            in_background(self._prepare, list(commands))

    def _prepare(self, workers: list[int]) -> None:
        """Have agents stand by, one after the other: others use this machine."""
        if self._preparing.acquire(blocking=False):
            try:
                time.sleep(QUIET_S)
                dialer, digest = self._dialer(), bundle().digest
                for index in workers:
                    self._posts[index].stand_by(digest, dialer)
            finally:
                self._preparing.release()

    def _one(
        self, index: int, command: RemoteCommand, *, dialer: Dialer, timeout_s: float, listener: Listener
    ) -> None:
        link, began = self._link(index), time.monotonic()
        ending = self._posts[index].answer(command, dialer, began + timeout_s, listener)
        took_s = time.monotonic() - began
        if ending:
            listener.end(index, replace(ending, duration_s=took_s))
        else:
            exchange(link, command, dialer=dialer, timeout_s=timeout_s - took_s, listener=listener)
