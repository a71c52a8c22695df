"""Looking at nodes: three-valued, and never raising."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.cloud.client import TpuApi
from tpuherd.errors import ProvisionError
from tpuherd.model.failure import Presence, SliceObservation

if TYPE_CHECKING:
    from tpuherd.model.allocation import Allocation, Slice
    from tpuherd.model.job import Job

RETRY_S = 3.0
"""How long an API that does not answer is asked again; then the answer is *unknown*."""


def observe_nodes(job: Job, allocation: Allocation) -> list[SliceObservation]:
    """What the TPU API says about each slice of an allocation."""
    return [_observe(job, piece) for piece in allocation.slices]


def _observe(job: Job, piece: Slice) -> SliceObservation:
    api = TpuApi(job.cloud, piece.zone, read_retry_s=RETRY_S)
    try:
        node = api.get("get_node", f"nodes/{piece.node_id}")
    except ProvisionError as error:
        return SliceObservation(node_id=piece.node_id, presence=Presence.UNKNOWN, detail=str(error))
    if node is None:
        return SliceObservation(node_id=piece.node_id, presence=Presence.ABSENT)
    if str(node.id) != piece.incarnation:
        text = "another node of the same name has taken its place"
        return SliceObservation(node_id=piece.node_id, presence=Presence.ABSENT, detail=text)
    return SliceObservation(
        node_id=piece.node_id,
        presence=Presence.PRESENT,
        state=node.state.name,
        detail=node.health_description,
    )
