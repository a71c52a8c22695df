"""Nodes of the TPU API as slices: what is in the API's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.model.allocation import Slice, Worker

if TYPE_CHECKING:
    from collections.abc import Sequence


def to_slice(node: Any, *, slice_index: int, first_worker: int) -> Slice:
    """A slice from the API's `Node`; `networkEndpoints` is in the order of the workers.

    Args:
        node: a `google.cloud.tpu_v2.Node` whose endpoints are known.
        slice_index: its number in the allocation.
        first_worker: index in the allocation of its worker 0.
    """
    _, _, _, zone, _, node_id = node.name.split("/")
    workers = tuple(
        Worker(
            index=first_worker + number,
            slice_index=slice_index,
            slice_worker=number,
            node_id=node_id,
            internal_address=endpoint.ip_address,
            ssh_address=endpoint.access_config.external_ip or endpoint.ip_address,
            incarnation=str(node.id),
        )
        for number, endpoint in enumerate(node.network_endpoints)
    )
    return Slice(
        node_id=node_id,
        zone=zone,
        accelerator=node.accelerator_type,
        incarnation=str(node.id),
        workers=workers,
    )


def to_slices(nodes: Sequence[Any]) -> tuple[Slice, ...]:
    """Slices from nodes, in this order, with workers numbered through."""
    slices: list[Slice] = []
    for index, node in enumerate(nodes):
        slices.append(
            to_slice(node, slice_index=index, first_worker=sum(len(piece.workers) for piece in slices))
        )
    return tuple(slices)


def addressed(node: Any, workers: int) -> bool:
    """True once all workers of a node have addresses at which this machine can try them.

    Args:
        node: a `google.cloud.tpu_v2.Node`.
        workers: how many it is going to have.
    """
    external = node.network_config.enable_external_ips
    known = [end.access_config.external_ip if external else end.ip_address for end in node.network_endpoints]
    return len(known) == workers and all(known)
