"""A supervisor as a process: the only one of its user here, until it is told to leave, or is idle."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tpuherd.errors import StateError
from tpuherd.exit_codes import ExitCode
from tpuherd.store.supervisors import SupervisorStatus, own_name
from tpuherd.supervising.figures import Meter
from tpuherd.supervising.likeness import likeness
from tpuherd.supervising.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from pluggy import PluginManager

    from tpuherd.store.store import Store

STATUS_S = 2.0
"""Between two statuses; its row in the store is renewed with each."""
LEAVING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Service:
    """Runs a supervisor; see `run`."""

    def __init__(
        self,
        store: Store,
        manager: PluginManager,
        *,
        note: Callable[[str], None],
        show: Callable[[SupervisorStatus], None],
        idle_s: float | None = None,
    ) -> None:
        """Keep the parts.

        Args:
            store: the store.
            manager: the plugins.
            note: told what happens to jobs.
            show: told now and then how the supervisor is.
            idle_s: end after so many seconds without a job; `None`: never.
        """
        self._store = store
        self._show = show
        self._idle_s = idle_s
        self._supervisor = Supervisor(store, manager, note)
        self._name = own_name()
        self._since = time.time()
        self._likeness = likeness()
        self._meter = Meter()
        self._shown_at = time.monotonic()

    def register(self) -> bool:
        """Become the supervisor; false if there is one."""
        return self._store.supervisors.register(self._name, self._status())

    def run(self) -> None:
        """Drive jobs as the supervisor that `register` has made of this process.

        It does not return if it is told to leave: threads that drive jobs end with their process, and at the
        same moment others may take the jobs.
        """
        before = {number: signal.signal(number, self._leave) for number in LEAVING}
        try:
            self._supervisor.run(self._after_tick)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        self._store.supervisors.leave(self._name)
        if self._supervisor.driven:
            self._leave_jobs()

    def _leave(self, _number: int, _frame: FrameType | None) -> None:
        self._supervisor.leave()

    def _leave_jobs(self) -> None:
        with suppress(OSError):  # the terminal may be closed
            sys.stdout.flush()
            sys.stderr.flush()
        self._supervisor.give_all_back()
        os._exit(ExitCode.SUCCESS)

    def _after_tick(self) -> bool:
        """Say how it goes; false once it is over."""
        now = time.monotonic()
        if now - self._shown_at > STATUS_S:
            self._shown_at = now
            status = self._status()
            self._show(status)
            if not self._store.supervisors.renew(self._name, status):
                return self._store.supervisors.register(self._name, status)
        return self._idle_s is None or now - self._supervisor.busy_at < self._idle_s

    def _status(self) -> SupervisorStatus:
        figures = self._meter.read()
        return SupervisorStatus(
            pid=os.getpid(),
            host=socket.gethostname(),
            since=self._since,
            on_demand=self._idle_s is not None,
            likeness=self._likeness,
            driven=self._supervisor.driven,
            aside=self._supervisor.aside,
            api_calls=figures.api_calls,
            api_calls_per_s=figures.api_calls_per_s,
            rss_mib=figures.rss_mib,
            cpu_share=figures.cpu_share,
        )


def runs_already(store: Store) -> StateError:
    """The error that says who supervises this store."""
    other = store.supervisors.get(own_name())
    who = f"process {other.pid} on {other.host}" if other else "another process"
    return StateError(f"a supervisor of this store runs already ({who}): `tpuherd supervise --status`")
