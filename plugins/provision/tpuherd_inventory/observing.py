"""Looking at machines: through the TPU API or, where there is none, at the machines themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Allocation, Presence, RemoteError, SliceObservation
from tpuherd.cloud.observing import observe_nodes
from tpuherd_inventory.config import InventorySection

if TYPE_CHECKING:
    from tpuherd import Job, Slice

ANSWER_S = 5.0


def observe_machines(job: Job, allocation: Allocation) -> list[SliceObservation]:
    """One observation per slice; a machine that does not answer is *unknown*, never *absent*."""
    if job.spec.section(InventorySection).file is None:
        return observe_nodes(job, allocation)
    return [_look(job, allocation, piece) for piece in allocation.slices]


def _look(job: Job, allocation: Allocation, piece: Slice) -> SliceObservation:
    indices = [worker.index for worker in piece.workers]
    try:
        done = job.session.workers(allocation, job.cloud.ssh).run("true", workers=indices, timeout_s=ANSWER_S)
    except RemoteError as error:
        return SliceObservation(node_id=piece.node_id, presence=Presence.UNKNOWN, detail=str(error))
    presence = Presence.UNKNOWN if done.failed else Presence.PRESENT
    detail = done.summary() if done.failed else ""
    return SliceObservation(node_id=piece.node_id, presence=presence, detail=detail)
