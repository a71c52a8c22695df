"""`UpdateNode`: which fields can be changed, and what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import errors
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.node import endpoint

if TYPE_CHECKING:
    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.node import Node

EXTERNAL_IPS = "network_config.enable_external_ips"

WHOLE = frozenset({"description", "tags", "labels", "metadata"})
"""Fields that the new ones take the place of."""


def update(context: Context, node: Node, request: Any) -> Any:
    """Change a node and return the operation; new SSH keys work at once.

    Raises:
        ApiError: The mask names something else, or the node is not READY.
    """
    if node.state != "READY":
        raise errors.wrong_state("update", node.state)
    unknown = set(request.update_mask.paths) - WHOLE - {EXTERNAL_IPS}
    if unknown or not request.update_mask.paths:
        allowed = sorted((*WHOLE, EXTERNAL_IPS))
        raise errors.invalid(f"Invalid update_mask: {sorted(unknown)}; it may name {allowed}")
    for path in request.update_mask.paths:
        _change(node, path, request.node)
    node.authorize(context.public_key)
    operation = context.operations.start(node.name, "update")
    context.operations.finish(operation, node.message)
    context.changed()
    return operation


def _change(node: Node, path: str, wanted: Any) -> None:
    if path in WHOLE:
        setattr(node.message, path, getattr(wanted, path))
        return
    if "network_config" not in node.message:
        node.message.network_config = messages.NetworkConfig()
    node.message.network_config.enable_external_ips = wanted.network_config.enable_external_ips
    node.message.network_endpoints = [endpoint(machine, node.message) for machine in node.machines]
