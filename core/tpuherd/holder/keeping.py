"""The connections that a holder keeps."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.holder.standing_workers import StandingWorkers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.holder.target import Target
    from tpuherd.remote import RemoteWorkers


@dataclass(slots=True, kw_only=True, eq=False)
class Held:
    """Connections to the workers of one allocation."""

    target: Target
    remote: RemoteWorkers
    key_changed_ns: int
    """When the private key was written: with another one, other connections are to be made."""
    users: int = 0
    used_at: float = field(default_factory=time.time)


class Keeper:
    """Keeps connections for targets; safe to use from several threads."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._held: list[Held] = []
        self._lock = threading.Lock()

    @contextmanager
    def use(self, target: Target) -> Iterator[RemoteWorkers]:
        """The connections to a target; those to earlier VMs of the same job are dropped."""
        with self._lock:
            held = self._find(target)
            held.users += 1
        try:
            yield held.remote
        finally:
            with self._lock:
                held.users -= 1
                held.used_at = time.time()

    def all(self) -> list[Held]:
        """Everything that is kept."""
        with self._lock:
            return list(self._held)

    def drop(self, job_id: str | None) -> int:
        """Hang up on the workers of a job, or on all; who still waits for a command sees it as lost.

        Returns:
            How many connections were open.
        """
        return self._drop([held for held in self.all() if job_id in (None, held.target.job_id)])

    def drop_dead(self) -> None:
        """Forget workers that all have gone away: their VMs were deleted, or this machine was asleep."""
        self._drop([held for held in self.all() if not held.users and not held.remote.connected])

    def _find(self, target: Target) -> Held:
        stamp = _changed_ns(target.access.private_key)
        for held in self._held:
            if held.target == target and held.key_changed_ns == stamp:
                return held
        old = [h for h in self._held if h.target.known_hosts == target.known_hosts and not h.users]
        threading.Thread(target=self._drop, args=(old,), daemon=True).start()
        remote = StandingWorkers(
            target.workers,
            target.access,
            target.known_hosts,
            connect_timeout_s=target.connect_timeout_s,
        )
        self._held.append(Held(target=target, remote=remote, key_changed_ns=stamp))
        return self._held[-1]

    def _drop(self, dropped: list[Held]) -> int:
        with self._lock:
            self._held = [held for held in self._held if held not in dropped]
        count = sum(len(held.remote.connected) for held in dropped)
        for held in dropped:
            held.remote.close()
        return count


def _changed_ns(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return 0
