"""Guest attributes: what workers say about themselves; here, their host keys and names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import names
from tpuherd_emulator.api.messages import messages

if TYPE_CHECKING:
    from tpuherd_emulator.api.node import Node
    from tpuherd_emulator.workers.machine import Machine


def guest_attributes(node: Node, request: Any) -> Any:
    """Answer `GetGuestAttributes`.

    The query path is `NAMESPACE/` or `NAMESPACE/KEY`; empty for everything. Host keys are items of the
    namespace `hostkeys` whose key is the algorithm, as Google's guest agent writes them. No workers, or an
    empty id as gcloud sends it, are all workers.
    """
    count = len(node.machines)
    chosen = [names.worker_index(worker, count, node.name) for worker in request.worker_ids if worker]
    return messages.GetGuestAttributesResponse(
        guest_attributes=[_of_worker(node, worker, request.query_path) for worker in chosen or range(count)]
    )


def _of_worker(node: Node, worker: int, query: str) -> Any:
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
