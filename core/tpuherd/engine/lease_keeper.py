"""The thread that keeps a job's lease, and hears what users ask for through the store."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tpuherd.engine.tenure import stop_reason
from tpuherd.errors import Cancelled, LocalError, StateError
from tpuherd.store.leases import LEASE_S, holder_pid, is_gone

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.store.store import Store

WANTED_POLL_S = 0.5
RENEW_S = LEASE_S / 4


def driven_by_another(job_id: str, holder: str) -> StateError:
    """The error that says who drives a job, and how to see what it does."""
    return StateError(
        f"job {job_id} is driven by another controller (process {holder_pid(holder)} on "
        f"{holder.split(':', maxsplit=1)[0]}): follow it with `tpuherd logs {job_id} --follow`"
    )


class LeaseKeeper:
    """Holds the lease of one job from `take` to `give_back`."""

    def __init__(self, store: Store, job_id: str, on_cancel: Callable[[Cancelled], None]) -> None:
        """Keep the parts; `on_cancel` is called once, with why the work has to stop."""
        self._store = store
        self._job_id = job_id
        self._on_cancel = on_cancel
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)

    def take(self) -> None:
        """Take the lease; a holder that is just going away is waited for.

        Raises:
            StateError: another controller drives the job.
        """
        deadline = time.monotonic() + 2.0
        while (holder := self._store.leases.take(self._job_id)) is not None:
            if time.monotonic() > deadline and not is_gone(holder):
                raise driven_by_another(self._job_id, holder)
            time.sleep(0.05)
        self._thread.start()

    def give_back(self) -> None:
        """Give the lease back."""
        self._stopping.set()
        self._thread.join()
        with suppress(LocalError):  # it ends with this process anyway
            self._store.leases.give_back(self._job_id)

    def _keep(self) -> None:
        renewed, told = time.monotonic(), False
        while not self._stopping.wait(WANTED_POLL_S):
            lost, why = False, None
            with suppress(LocalError):  # whoever works on the job says so; here it is only tried again
                if time.monotonic() - renewed > RENEW_S:
                    lost, renewed = not self._store.leases.renew(self._job_id), time.monotonic()
                why = None if told else self._why(lost=lost)
            if why is not None:
                told = True
                self._on_cancel(why)

    def _why(self, *, lost: bool) -> Cancelled | None:
        """Why the work has to stop, if it has to."""
        if lost:
            return Cancelled("another controller has taken the job over")
        return stop_reason(self._store.jobs.get(self._job_id))
