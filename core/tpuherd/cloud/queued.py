"""Queued resources of the TPU API: which slices they ask for, and whose they are."""

from __future__ import annotations

from typing import Any

from tpuherd.cloud.target import node_ids


def wanted_ids(resource: Any) -> tuple[str, ...]:
    """Ids of the nodes of a `QueuedResource`, made or to be made."""
    queued_id = resource.name.rpartition("/")[2]
    return tuple(name for spec in resource.tpu.node_spec for name in _ids(spec, queued_id))


def labels_of(resource: Any) -> dict[str, str]:
    """It has no labels of its own: those of the nodes that it asks for say whose it is."""
    first = first_spec(resource)
    return {} if first is None else dict(first.node.labels)


def first_spec(resource: Any) -> Any | None:
    """Its first `NodeSpec`, and the only one of what tpuherd asks for."""
    return next(iter(resource.tpu.node_spec), None)


def slices_of(resource: Any) -> int:
    """How many nodes it asks for."""
    return len(wanted_ids(resource))


def _ids(spec: Any, queued_id: str) -> tuple[str, ...]:
    if spec.node_id:
        return (spec.node_id,)
    params = spec.multislice_params
    return node_ids(params.node_id_prefix or queued_id, params.node_count or 1)
