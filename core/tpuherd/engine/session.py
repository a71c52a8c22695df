"""The live services of one controller process for one job."""

from __future__ import annotations

import threading
from copy import copy
from typing import TYPE_CHECKING

from tpuherd.engine.leaving import Left
from tpuherd.engine.tenure import Tenure
from tpuherd.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.cloud import SshAccess
    from tpuherd.model.job import Job
    from tpuherd.model.observation import SliceObservation
    from tpuherd.output.reporter import Reporter
    from tpuherd.remote import RemoteWorkers


class Session:
    """What hooks may use while they work: workers, notes to the user, cancellation."""

    def __init__(
        self,
        reporter: Reporter,
        known_hosts: Path,
        publish: Callable[[str, str], None],
        tenure: Tenure | None = None,
        observe: Callable[[Job, Allocation], Sequence[SliceObservation]] | None = None,
        has_started: Callable[[int], bool] = lambda _: False,
    ) -> None:
        """Keep the services.

        Args:
            reporter: where progress and log lines go.
            known_hosts: the file that pins this job's host keys.
            publish: stores and tells an event, given its kind and text.
            tenure: how long the job may hold what it asks for; default: for as long as it likes.
            observe: asks the control plane about slices; default: there is none.
            has_started: tells of an attempt whether all its workers have started the work; default: no.
        """
        self.reporter = reporter
        self.publish = publish
        self.tenure = tenure or Tenure()
        self.observe = observe
        self.has_started = has_started
        self._known_hosts = known_hosts
        self._cancelled = threading.Event()
        self._why = Cancelled("the job was cancelled")
        self._cleaning = False
        self._left = threading.Event()
        self._remotes: dict[str, RemoteWorkers] = {}
        self._shared = False
        self._lock = threading.Lock()

    @property
    def known_hosts(self) -> Path:
        """The file that pins this job's host keys."""
        return self._known_hosts

    def note(self, text: str) -> None:
        """Tell the user how far a long step is."""
        self.reporter.note(text)

    def cancel(self, why: Cancelled | None = None) -> None:
        """Ask whatever works on this job to stop; it raises `why` at its next checkpoint.

        Once the cleanup has begun there is nothing left to cancel: it does nothing then.
        """
        if not self._cleaning:
            self._why = why or self._why
            self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """True once the job is to be cancelled."""
        return self._cancelled.is_set()

    def allow_cleanup(self) -> None:
        """Let the steps that follow a cancellation (stopping, releasing) pass their checkpoints."""
        self._cleaning = True
        if not self._left.is_set():
            self._cancelled.clear()

    def leave(self) -> None:
        """Another process drives the job from now on: at its next checkpoint, the work here raises `Left`."""
        self._left.set()
        self._cancelled.set()

    def checkpoint(self) -> None:
        """Call this in every wait; raises `Cancelled` when the job is to be stopped."""
        if self._left.is_set():
            raise Left
        if self._cancelled.is_set():
            raise self._why

    def sleep(self, seconds: float) -> None:
        """Wait, but no longer than until the job is cancelled; then raises `Cancelled`."""
        self._cancelled.wait(seconds)
        self.checkpoint()

    def share_connections(self) -> None:
        """From now on, use those that the user's connection holder keeps: the slices stay, and so do they."""
        self._shared = True

    def workers(self, allocation: Allocation, ssh: SshAccess) -> RemoteWorkers:
        """The connections to an allocation's workers; they are opened once and stay warm."""
        from tpuherd.holder.choosing import reach_workers
        from tpuherd.remote import RemoteWorkers

        connect = reach_workers if self._shared else RemoteWorkers
        with self._lock:
            if allocation.incarnation not in self._remotes:
                self._remotes[allocation.incarnation] = connect(allocation.workers, ssh, self._known_hosts)
            return self._remotes[allocation.incarnation]

    def branch(self) -> Session:
        """The same services for one of several ways that are tried at once; it can be cancelled alone."""
        other = copy(self)
        other._cancelled = threading.Event()  # noqa: SLF001 - the other is one of us
        return other

    def hang_up(self, allocation: Allocation) -> None:
        """Close the connections to workers that are not going to be used."""
        with self._lock:
            remote = self._remotes.pop(allocation.incarnation, None)
        if remote:
            remote.close()

    def pin_host_keys(self, keys: Mapping[str, Sequence[str]]) -> None:
        """Keep the host keys that the cloud tells, so that no other is accepted at the first connection.

        Args:
            keys: for each `Worker.host_key_name` its keys, each as `TYPE BASE64`.

        Raises:
            RemoteError: a worker has shown another key already, or what was told is no key.
        """
        from tpuherd.remote import KnownHosts

        for name, told in keys.items():
            KnownHosts(self._known_hosts).pin(name, told)

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
