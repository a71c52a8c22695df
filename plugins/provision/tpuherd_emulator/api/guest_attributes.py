"""Guest attributes: what workers say about themselves; here, their host keys and names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import errors
from tpuherd_emulator.api.messages import messages

if TYPE_CHECKING:
    from tpuherd_emulator.api.node import Node
    from tpuherd_emulator.workers.machine import Machine


def guest_attributes(node: Node, request: Any) -> Any:
    """Answer `GetGuestAttributes`.

    The query path is `NAMESPACE/` or `NAMESPACE/KEY`; empty for everything. Host keys are items of the
    namespace `hostkeys` whose key is the algorithm, as Google's guest agent writes them.
    """
    chosen = request.worker_ids or range(len(node.machines))
    return messages.GetGuestAttributesResponse(
        guest_attributes=[_of_worker(node, int(worker), request.query_path) for worker in chosen]
    )


def _of_worker(node: Node, worker: int, query: str) -> Any:
    if not 0 <= worker < len(node.machines):
        raise errors.invalid(f"Invalid worker_ids: {node.name} has no worker {worker}")
    return messages.GuestAttributes(
        query_path=query,
        query_value=messages.GuestAttributesValue(items=_items(node.machines[worker], query)),
    )


def _items(machine: Machine, query: str) -> list[Any]:
    algorithm, _, key = machine.host_key.partition(" ")
    known = [
        ("hostkeys", algorithm, key.partition(" ")[0]),
        ("guestInventory", "Hostname", machine.plan.hostname),
    ]
    return [
        messages.GuestAttributesEntry(namespace=namespace, key=name, value=value)
        for namespace, name, value in known
        if value and f"{namespace}/{name}".startswith(query)
    ]
