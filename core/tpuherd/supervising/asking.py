"""Taking a job from the supervisor that drives it, for a command that is going to drive it itself."""

from __future__ import annotations

import time
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


def _is_supervised(store: Store, job_id: str) -> bool:
    holder, found = store.leases.driver(job_id), store.supervisors.get(own_name())
    return bool(holder and found and holder.startswith(f"{found.host}:{found.pid}:"))
