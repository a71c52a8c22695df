"""Asking the supervisor for a job, for a command that is going to drive it itself; and asking it to end."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tpuherd.errors import StateError
from tpuherd.store.leases import this_process
from tpuherd.store.supervisors import own_name

if TYPE_CHECKING:
    from tpuherd.store.store import Store

PATIENCE_S = 60.0
"""How long a supervisor may take to let a job go: a call of the TPU API may take half of that."""


def take_from_supervisor(store: Store, job_id: str) -> None:
    """Get a job's lease from the supervisor; its workload goes on. Nothing happens if no supervisor has it.

    Raises:
        StateError: the supervisor did not let it go in time.
    """
    if not _is_supervised(store, job_id):
        return
    store.leases.ask_for(job_id)
    deadline = time.monotonic() + PATIENCE_S
    while store.leases.driver(job_id) != this_process():
        if time.monotonic() > deadline:
            raise StateError(f"the supervisor has not let {job_id} go after {PATIENCE_S:.0f} s: try again")
        if not _is_supervised(store, job_id):
            return
        time.sleep(0.05)


def stop_supervisor(store: Store) -> bool:
    """End this user's supervisor on this machine, as TERM does; false if none runs.

    Raises:
        StateError: it did not end in time.
    """
    found = store.supervisors.get(own_name())
    if found is None:
        return False
    with suppress(ProcessLookupError):
        os.kill(found.pid, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE_S
    while (now := store.supervisors.get(own_name())) is not None and now.pid == found.pid:
        if time.monotonic() > deadline:
            raise StateError(
                f"supervisor {found.pid} has not ended after {PATIENCE_S:.0f} s: `kill -9` ends it"
            )
        time.sleep(0.05)
    return True


def _is_supervised(store: Store, job_id: str) -> bool:
    holder, found = store.leases.driver(job_id), store.supervisors.get(own_name())
    return bool(holder and found and holder.startswith(f"{found.host}:{found.pid}:"))
