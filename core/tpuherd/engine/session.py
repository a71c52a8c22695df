"""The live services of one controller process for one job."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tpuherd.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.cloud import SshAccess
    from tpuherd.output.reporter import Reporter
    from tpuherd.remote import RemoteWorkers


class Session:
    """What hooks may use while they work: workers, notes to the user, cancellation."""

    def __init__(self, reporter: Reporter, known_hosts: Path, publish: Callable[[str, str], None]) -> None:
        """Keep the services.

        Args:
            reporter: where progress and log lines go.
            known_hosts: the file that pins this job's host keys.
            publish: stores and tells an event, given its kind and text.
        """
        self.reporter = reporter
        self.publish = publish
        self._known_hosts = known_hosts
        self._cancelled = threading.Event()
        self._cleaning = False
        self._remotes: dict[str, RemoteWorkers] = {}
        self._lock = threading.Lock()

    def note(self, text: str) -> None:
        """Tell the user how far a long step is."""
        self.reporter.note(text)

    def cancel(self) -> None:
        """Ask whatever works on this job to stop; it raises `Cancelled` at its next checkpoint.

        Once the cleanup has begun there is nothing left to cancel: it does nothing then.
        """
        if not self._cleaning:
            self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """True once the job is to be cancelled."""
        return self._cancelled.is_set()

    def allow_cleanup(self) -> None:
        """Let the steps that follow a cancellation (stopping, releasing) pass their checkpoints."""
        self._cleaning = True
        self._cancelled.clear()

    def checkpoint(self) -> None:
        """Call this in every wait; raises `Cancelled` when the job is to be cancelled."""
        if self._cancelled.is_set():
            raise Cancelled("the job was cancelled")

    def sleep(self, seconds: float) -> None:
        """Wait, but no longer than until the job is cancelled; then raises `Cancelled`."""
        self._cancelled.wait(seconds)
        self.checkpoint()

    def workers(self, allocation: Allocation, ssh: SshAccess) -> RemoteWorkers:
        """The connections to an allocation's workers; they are opened once and stay warm."""
        from tpuherd.remote import RemoteWorkers

        with self._lock:
            if allocation.incarnation not in self._remotes:
                self._remotes[allocation.incarnation] = RemoteWorkers(
                    allocation.workers, ssh, self._known_hosts
                )
            return self._remotes[allocation.incarnation]

    def forget_host_keys(self, node_id: str) -> None:
        """Drop the host keys of a node that is not there: VMs that come under its name have others."""
        from tpuherd.remote import forget

        forget(self._known_hosts, node_id)

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for remote in self._remotes.values():
                remote.close()
            self._remotes.clear()
