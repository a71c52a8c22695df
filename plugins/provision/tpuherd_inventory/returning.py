"""Giving machines back: their claims end, they themselves stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Presence, ProvisionError, RemoteError, WorkloadError
from tpuherd.agent.client import Agents
from tpuherd.agent.occupancy import running_attempts
from tpuherd.cloud.observing import observe_nodes
from tpuherd_inventory.config import InventorySection
from tpuherd_inventory.remembering import opened

if TYPE_CHECKING:
    from tpuherd import Allocation, Job

OFF = ("PREEMPTED", "TERMINATED", "STOPPED", "STOPPING", "DELETING")
"""States of nodes whose VMs run nothing any more, or are just being switched off."""


def give_back(job: Job, allocation: Allocation | None) -> None:
    """End the claims of a job; without an allocation nothing was ever started on what it has claimed.

    Raises:
        ProvisionError: it is not known whether something of the job still runs; the claims stay.
    """
    if allocation is not None and not _gone(job, allocation):
        _stop(job, allocation)
    with opened() as store:
        store.claims.give_back(job.id)


def _gone(job: Job, allocation: Allocation) -> bool:
    """True if the TPU API says that none of the machines is there any more: nothing runs on them."""
    if job.spec.section(InventorySection).file is not None:
        return False
    seen = observe_nodes(job, allocation)
    return all(one.presence is Presence.ABSENT or one.state in OFF for one in seen)


def _stop(job: Job, allocation: Allocation) -> None:
    """End what still runs of this job; deleting the machine, which would end it, is not ours to do."""
    remote = job.session.workers(allocation, job.cloud.ssh)
    grace_s = job.spec.timeouts.grace_s
    try:
        for attempt, workers in running_attempts(remote, job.id).items():
            stopped = Agents(remote).stop(attempt, workers=workers, grace_s=grace_s)
            stopped.require(WorkloadError, f"stopping {attempt}")
    except (RemoteError, WorkloadError) as error:
        names = ", ".join(piece.node_id for piece in allocation.slices)
        raise ProvisionError(
            f"{names}: it is not known whether job {job.id} still runs there: {error}\n"
            f"Give it back with `tpuherd release --job {job.id}` once its workers answer."
        ) from error
