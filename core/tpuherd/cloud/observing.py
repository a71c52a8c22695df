"""Looking at nodes: three-valued, never raising, and with one call per zone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.cloud.ailments import WELL, ailments, maintenance
from tpuherd.cloud.zone_listing import item_name, zone_listing
from tpuherd.errors import ProvisionError
from tpuherd.model.observation import Presence, QueueObservation, SliceObservation, Symptom

if TYPE_CHECKING:
    from tpuherd.model.allocation import Allocation, Slice
    from tpuherd.model.job import Job

VERSIONS = ("v2alpha1", "v2")
"""Of the API: the first one knows of maintenance, the second one is there for everybody."""


def observe_nodes(job: Job, allocation: Allocation) -> list[SliceObservation]:
    """What the TPU API says about each slice of an allocation, and about its queued resource."""
    nodes = {zone: _listed(job, zone, "list_nodes") for zone in {one.zone for one in allocation.slices}}
    queue = _queue(job, allocation)
    return [_observe(nodes[piece.zone], piece, queue) for piece in allocation.slices]


def _listed(job: Job, zone: str, method: str) -> dict[str, Any] | str:
    """Id to resource; a text: why it is not known what there is."""
    try:
        listing = zone_listing(job.cloud, zone, method, VERSIONS)
    except ProvisionError as error:
        return str(error)
    if listing.unreachable:
        return f"the TPU API does not reach {', '.join(listing.unreachable)}"
    return {item_name(item): item for item in listing.items}


def _observe(nodes: dict[str, Any] | str, piece: Slice, queue: QueueObservation | None) -> SliceObservation:
    name = piece.node_id
    if isinstance(nodes, str):
        return SliceObservation(node_id=name, presence=Presence.UNKNOWN, detail=nodes, queue=queue)
    node = nodes.get(name)
    if node is None or str(node.id) != piece.incarnation:
        text = "" if node is None else "another node of the same name has taken its place"
        return SliceObservation(node_id=name, presence=Presence.ABSENT, detail=text, queue=queue)
    return SliceObservation(
        node_id=name,
        presence=Presence.PRESENT,
        state=node.state.name,
        detail=ailments(node),
        health="" if node.health.name in WELL else node.health.name,
        symptoms=tuple(_symptom(one) for one in node.symptoms),
        maintenance=maintenance(node),
        queue=queue,
    )


def _symptom(symptom: Any) -> Symptom:
    number = str(symptom.worker_id)
    return Symptom(
        kind=symptom.symptom_type.name,
        slice_worker=int(number) if number.isdecimal() else None,
        detail=symptom.details,
    )


def _queue(job: Job, allocation: Allocation) -> QueueObservation | None:
    name = allocation.queued_resource_id
    if name is None:
        return None
    found = _listed(job, allocation.zone, "list_queued_resources")
    if isinstance(found, str):
        return QueueObservation(queued_resource_id=name, presence=Presence.UNKNOWN, detail=found)
    if name not in found:
        return QueueObservation(queued_resource_id=name, presence=Presence.ABSENT)
    state = found[name].state
    initiator = state.state_initiator.name
    return QueueObservation(
        queued_resource_id=name,
        presence=Presence.PRESENT,
        state=state.state.name,
        initiator="" if "UNSPECIFIED" in initiator else initiator,
        detail=state.failed_data.error.message if "failed_data" in state else "",
    )
