"""Whether a machine can be used: its workers answer, and nothing else runs on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Allocation, ProvisionError, RemoteError, WorkloadError
from tpuherd.agent.occupancy import occupants
from tpuherd.cloud.host_keys import HostKeys
from tpuherd_inventory.config import InventorySection
from tpuherd_inventory.nodes import offer_key

if TYPE_CHECKING:
    from tpuherd import Job, Slice
    from tpuherd.remote import RemoteWorkers
    from tpuherd_inventory.machine import Machine

FIRST_TRY_S = 20.0
"""A machine that exists answers at once, or has to be told our key."""
LONGEST_WAIT_S = 60.0
"""After that; a machine that boots just now is not free."""


def unusable(job: Job, machine: Machine, piece: Slice) -> str:
    """Why a machine cannot be used now; empty: it can."""
    alone = Allocation(slices=(piece,), project=job.cloud.project)
    reason = _reason(job, machine, alone)
    if reason:
        job.session.hang_up(alone)
    return reason


def _reason(job: Job, machine: Machine, alone: Allocation) -> str:
    remote = job.session.workers(alone, job.cloud.ssh)
    try:
        if job.spec.section(InventorySection).file is None:
            HostKeys(job).pin(alone)
        _reach(job, machine, remote)
        busy = occupants(remote, except_job=job.id)
    except (ProvisionError, RemoteError, WorkloadError) as error:
        return str(error)
    return f"something runs on it: {busy[0]}" if busy else ""


def _reach(job: Job, machine: Machine, remote: RemoteWorkers) -> None:
    """Log in everywhere; where that fails, the TPU API is asked to let us in.

    Raises:
        RemoteError: some workers do not answer.
    """
    done = remote.run("true", timeout_s=min(FIRST_TRY_S, job.spec.tpu.connect_timeout_s))
    if not done.failed:
        return
    if job.spec.section(InventorySection).file is not None or not offer_key(job.cloud, machine.known_as):
        raise RemoteError(done.summary())
    job.session.note(f"{machine.known_as}: our SSH key was added to its metadata")
    remote.connect(min(LONGEST_WAIT_S, job.spec.tpu.connect_timeout_s))
