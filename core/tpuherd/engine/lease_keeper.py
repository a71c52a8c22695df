"""The thread that keeps a job's lease, and hears what users ask for through the store."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tpuherd.engine.tenure import stop_reason
from tpuherd.errors import LocalError, StateError
from tpuherd.store.leases import LEASE_S, holder_pid, is_gone

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.errors import Cancelled
    from tpuherd.store.store import Store

WANTED_POLL_S = 0.5
RENEW_S = LEASE_S / 4


def driven_by_another(job_id: str, holder: str) -> StateError:
    """The error that says who drives a job, and how to see what it does."""
    return StateError(
        f"job {job_id} is driven by another controller (process {holder_pid(holder)} on "
        f"{holder.split(':', maxsplit=1)[0]}): follow it with `tpuherd logs {job_id} --follow`"
    )


def take(store: Store, job_id: str) -> None:
    """Take a job's lease; a holder that is just going away is waited for.

    Raises:
        StateError: another controller drives the job.
    """
    deadline = time.monotonic() + 2.0
    while (holder := store.leases.take(job_id)) is not None:
        if time.monotonic() > deadline and not is_gone(holder):
            raise driven_by_another(job_id, holder)
        time.sleep(0.05)


class LeaseKeeper:
    """Holds the lease of one job from `take` to `give_back`."""

    def __init__(
        self,
        store: Store,
        job_id: str,
        on_cancel: Callable[[Cancelled], None],
        on_lost: Callable[[], None],
    ) -> None:
        """Keep the parts.

        Args:
            store: the store.
            job_id: the job.
            on_cancel: called once, with why the work has to stop.
            on_lost: called when another controller has taken the job over.
        """
        self._store = store
        self._job_id = job_id
        self._on_cancel = on_cancel
        self._on_lost = on_lost
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)

    def take(self) -> None:
        """Take the lease; a holder that is just going away is waited for.

        Raises:
            StateError: another controller drives the job.
        """
        take(self._store, self._job_id)
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
            why = None
            with suppress(LocalError):  # whoever works on the job says so; here it is only tried again
                due = time.monotonic() - renewed > RENEW_S
                ours = self._store.leases.renew if due else self._store.leases.is_ours
                if not ours(self._job_id):
                    self._on_lost()
                    return
                renewed = time.monotonic() if due else renewed
                why = None if told else stop_reason(self._store.jobs.get(self._job_id))
            if why is not None:
                told = True
                self._on_cancel(why)
