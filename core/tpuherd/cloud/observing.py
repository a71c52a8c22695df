"""Looking at nodes: three-valued, and never raising."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.cloud.ailments import ailments
from tpuherd.cloud.client import TpuApi
from tpuherd.errors import ProvisionError
from tpuherd.model.failure import Presence, SliceObservation
from tpuherd.remote.parallel import in_parallel

if TYPE_CHECKING:
    from tpuherd.model.allocation import Allocation, Slice
    from tpuherd.model.job import Job

RETRY_S = 3.0
"""How long an API that does not answer is asked again; then the answer is *unknown*."""
VERSIONS = ("v2alpha1", "v2")
"""Of the API: the first one knows of maintenance, the second one is there for everybody."""


def observe_nodes(job: Job, allocation: Allocation) -> list[SliceObservation]:
    """What the TPU API says about each slice of an allocation."""
    return in_parallel(lambda piece: _observe(job, piece), allocation.slices)


def _observe(job: Job, piece: Slice) -> SliceObservation:
    try:
        node = _read(job, piece)
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
        detail=ailments(node),
    )


def _read(job: Job, piece: Slice) -> Any | None:
    """The node as the first version of the API shows it that answers."""
    name = f"nodes/{piece.node_id}"
    newest, usual = (
        TpuApi(job.cloud, piece.zone, read_retry_s=RETRY_S, version=version) for version in VERSIONS
    )
    try:
        if (node := newest.get("get_node", name)) is not None:
            return node
    except ProvisionError:
        pass  # its word is worth nothing where it is not offered
    return usual.get("get_node", name)
