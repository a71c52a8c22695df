"""Getting what was ordered: asking once, waiting until it is READY."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.failures import from_status
from tpuherd.cloud.labels import OWNER
from tpuherd.cloud.queued import wanted_ids
from tpuherd.errors import ProvisionError, StateError
from tpuherd.fleet.tpu import Kind
from tpuherd.fleet.waiting import wait_for

if TYPE_CHECKING:
    from tpuherd.fleet.orders import Order
    from tpuherd.fleet.waiting import Note
    from tpuherd.model.cloud import Cloud

GONE = ("PREEMPTED", "TERMINATED", "STOPPED", "STOPPING", "DELETING", "HIDING", "HIDDEN")
"""States of a node that will not become READY by itself."""
QUEUE_GONE = ("SUSPENDING", "SUSPENDED", "DELETING")


def ask(cloud: Cloud, order: Order, owner: str, note: Note) -> str | None:
    """Ask for it, or take up what an interrupted command asked for.

    Args:
        cloud: where.
        order: what.
        owner: whose label an existing one of this name must carry.
        note: is told what happens.

    Returns:
        The operation's name; `None` if it was there already.

    Raises:
        ProvisionError: the API refused.
        StateError: the name is taken by another TPU.
    """
    from google.api_core.exceptions import AlreadyExists

    from tpuherd.fleet.orders import send

    api = TpuApi(cloud, order.zone)
    existing = current(api, order)
    if existing is None:
        note(f"asking for {order.what}")
        try:
            return send(api, order)
        except AlreadyExists:
            existing = current(api, order)
    _require_same(existing, order, owner)
    note(f"{order.what} is there already")
    return None


def wait_until_ready(
    cloud: Cloud, order: Order, operation: str | None, *, timeout_s: float, note: Note
) -> None:
    """Wait until all its nodes are READY.

    Raises:
        ProvisionError: it failed, went away, or took too long.
    """
    api = TpuApi(cloud, order.zone)
    wait_for(lambda: _ready(api, order, operation), what=order.what, timeout_s=timeout_s, note=note)
    note(f"{order.what} is READY")


def current(api: TpuApi, order: Order) -> Any | None:
    """The API's message about it; `None` if it is not there."""
    if order.kind is Kind.NODE:
        return api.get("get_node", f"nodes/{order.name}")
    return api.get("get_queued_resource", f"queuedResources/{order.name}")


def wanted_node(message: Any, kind: Kind) -> Any:
    """The node that a message is about, or asks for."""
    return message if kind is Kind.NODE else message.tpu.node_spec[0].node


def owner_of(order: Order) -> str:
    """The owner in the labels of an order."""
    return str(wanted_node(message_of(order), order.kind).labels.get(OWNER, ""))


def _require_same(message: Any, order: Order, owner: str) -> None:
    if message is None:
        raise StateError(f"the name of {order.what} is taken by something else: choose another --name")
    there = wanted_node(message, order.kind)
    if there.labels.get(OWNER) != owner:
        raise StateError(f"{order.what} exists already and is not yours: choose another --name")
    asked = wanted_node(message_of(order), order.kind).accelerator_type
    if asked and there.accelerator_type != asked:
        raise StateError(
            f"{order.what} exists already as {there.accelerator_type}, not {asked}: choose another --name"
        )


def message_of(order: Order) -> Any:
    """The API's message of an order."""
    from google.cloud.tpu_v2 import Node, QueuedResource

    return (Node if order.kind is Kind.NODE else QueuedResource).from_json(order.body)


def _ready(api: TpuApi, order: Order, operation: str | None) -> bool | None:
    message = current(api, order)
    if message is None:
        _raise_for(api, order, operation)
        return None
    if order.kind is Kind.NODE:
        return _node_ready(message, order)
    state = message.state.state.name
    if state == "FAILED":
        error = message.state.failed_data.error
        raise from_status(order.what, error)
    if state in QUEUE_GONE:
        raise ProvisionError(f"{order.what} became {state}")
    return _all_ready(api, message, order) if state == "ACTIVE" else None


def _node_ready(node: Any, order: Order) -> bool | None:
    state = node.state.name
    if state in GONE:
        raise ProvisionError(f"{order.what} became {state}: {node.health_description}".rstrip(": "))
    return True if state == "READY" else None


def _all_ready(api: TpuApi, resource: Any, order: Order) -> bool | None:
    nodes = [api.get("get_node", f"nodes/{name}") for name in wanted_ids(resource)]
    answers = [node is not None and _node_ready(node, order) for node in nodes]
    return True if all(answers) else None


def _raise_for(api: TpuApi, order: Order, operation: str | None) -> None:
    """It is not there: its operation tells why; without one it was deleted by somebody."""
    if operation is None:
        raise ProvisionError(f"{order.what} went away while it was waited for")
    status = api.operation(operation)
    if status is not None and status.done and status.error.code:
        raise from_status(order.what, status.error)
