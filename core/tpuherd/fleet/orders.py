"""What is asked of the API for a TPU: a new one, or the same again."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tpuherd.accelerators import resolve
from tpuherd.fleet.tpu import Kind

if TYPE_CHECKING:
    from tpuherd.cloud.client import TpuApi

FILLED_BY_SERVER = (
    "name",
    "state",
    "health",
    "health_description",
    "network_endpoints",
    "create_time",
    "id",
    "symptoms",
    "cidr_block",
    "api_version",
    "queued_resource",
    "multislice_node",
)
"""Fields of a node that come from the API (`google.cloud.tpu_v2.Node`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A request that can be kept and sent again."""

    kind: Kind
    zone: str
    name: str
    body: str
    """The API's `Node` or `QueuedResource` as JSON."""

    @property
    def what(self) -> str:
        """For messages."""
        return f"{self.kind.value} {self.name}@{self.zone}"


def order_again(message: Any) -> Order:
    """The request that would make a node, or a queued resource with its nodes, once more."""
    _, _, _, zone, collection, name = message.name.split("/")
    kind = Kind.NODE if collection == "nodes" else Kind.QUEUED_RESOURCE
    copy = type(message)(message)
    if kind is Kind.NODE:
        _only_input(copy)
    else:
        _clear(copy, ("name", "create_time", "state", "queueing_policy"))
        for spec in copy.tpu.node_spec:
            _only_input(spec.node)
    return Order(kind=kind, zone=zone, name=name, body=type(copy).to_json(copy))


def send(api: TpuApi, order: Order) -> str:
    """Ask the API; the name of its operation.

    Raises:
        ProvisionError: the API refused.
        google.api_core.exceptions.AlreadyExists: the name is taken.
    """
    from google.cloud.tpu_v2 import Node, QueuedResource

    if order.kind is Kind.NODE:
        node = Node.from_json(order.body)
        operation = api.change("create_node", parent=api.parent, node_id=order.name, node=node)
    else:
        operation = api.change(
            "create_queued_resource",
            parent=api.parent,
            queued_resource_id=order.name,
            queued_resource=QueuedResource.from_json(order.body),
            request_id=str(uuid.uuid4()),
        )
    return str(operation.operation.name)


def _only_input(node: Any) -> None:
    """Leave what a user can ask for. The type says the topology, unless it is an unusual one."""
    _clear(node, FILLED_BY_SERVER)
    if node.network_config:
        _clear(node, ("network_configs",))
    usual = resolve(node.accelerator_type).topology if node.accelerator_type else ""
    _clear(
        node,
        ("accelerator_config",) if node.accelerator_config.topology in {"", usual} else ("accelerator_type",),
    )


def _clear(message: Any, names: Any) -> None:
    for name in names:
        type(message).pb(message).ClearField(name)
