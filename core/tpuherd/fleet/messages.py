"""From the API's messages to the rows of the fleet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.cloud.queued import slices_of
from tpuherd.fleet.tpu import Kind, Symptom, Tier, Tpu

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def node_row(node: Any, queues: Mapping[str, str]) -> Tpu:
    """A row from a `Node`.

    Args:
        node: the message, of v2 or v2alpha1.
        queues: state by full name of the queued resources that were read.
    """
    _, _, _, zone, _, name = node.name.split("/")
    return Tpu(
        kind=Kind.NODE,
        name=name,
        zone=zone,
        accelerator=node.accelerator_type,
        state=node.state.name,
        health=node.health.name,
        health_text=node.health_description,
        symptoms=tuple(_symptom(symptom) for symptom in node.symptoms),
        created_at=seconds(node.create_time),
        labels=dict(node.labels),
        tier=_tier(node.scheduling_config),
        workers=len(node.network_endpoints),
        incarnation=str(node.id),
        queued_resource=node.queued_resource.rpartition("/")[2],
        queue_state=queues.get(node.queued_resource, ""),
    )


def queue_row(resource: Any) -> Tpu:
    """A row from a `QueuedResource` that has no nodes; the nodes that it asks for say whose it is."""
    _, _, _, zone, _, name = resource.name.split("/")
    wanted = resource.tpu.node_spec[0].node
    return Tpu(
        kind=Kind.QUEUED_RESOURCE,
        name=name,
        zone=zone,
        accelerator=wanted.accelerator_type,
        slices=slices_of(resource),
        state=resource.state.state.name,
        health_text=resource.state.failed_data.error.message,
        created_at=seconds(resource.create_time),
        labels=dict(wanted.labels),
        tier=queue_tier(resource),
        incarnation=str(seconds(resource.create_time)),
        queued_resource=name,
        queue_state=resource.state.state.name,
    )


def rows(nodes: Iterable[Any], resources: Iterable[Any]) -> list[Tpu]:
    """All nodes, and the queued resources that no node came through, by zone and name."""
    queued = {resource.name: resource for resource in resources}
    states = {name: resource.state.state.name for name, resource in queued.items()}
    made = [node_row(node, states) for node in nodes]
    used = {(row.zone, row.queued_resource) for row in made if row.queued_resource}
    waiting = [queue_row(resource) for resource in queued.values() if resource.tpu.node_spec]
    empty = [row for row in waiting if (row.zone, row.name) not in used]
    return sorted(made + empty, key=lambda row: (row.zone, row.name))


def queue_tier(resource: Any) -> Tier:
    """How the nodes of a queued resource are paid for."""
    if "spot" in resource:
        return "spot"
    return (
        "reserved" if resource.reservation_name else _tier(resource.tpu.node_spec[0].node.scheduling_config)
    )


def seconds(moment: Any) -> float | None:
    """Unix time of a timestamp; `None` if it is not set."""
    return moment.timestamp() if moment else None


def _tier(scheduling: Any) -> Tier:
    if scheduling.reserved:
        return "reserved"
    if scheduling.spot:
        return "spot"
    return "preemptible" if scheduling.preemptible else "ondemand"


def _symptom(symptom: Any) -> Symptom:
    return Symptom(
        kind=symptom.symptom_type.name,
        worker=symptom.worker_id,
        details=symptom.details,
        at=seconds(symptom.create_time),
    )
