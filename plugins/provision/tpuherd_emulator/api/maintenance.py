"""Maintenance on demand: the methods that only `v2alpha1` has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import errors, names

if TYPE_CHECKING:
    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.node import Node
    from tpuherd_emulator.api.nodes import Nodes
    from tpuherd_emulator.api.queued_resource import Queued
    from tpuherd_emulator.api.queued_resources import QueuedResources


class Maintenance:
    """Starts maintenance; what then happens to a node is in `NodeLife.maintain`."""

    def __init__(self, context: Context, nodes: Nodes, queued: QueuedResources) -> None:
        self._context = context
        self._nodes = nodes
        self._queued = queued

    def simulate(self, request: Any) -> Any:
        """`SimulateMaintenanceEvent`: only the first of the workers that are named is hit; without any, 0."""
        node = self._ready(request.name, "simulateMaintenanceEvent")
        count = len(node.machines)
        workers = [names.worker_index(worker, count, node.name) for worker in request.worker_ids] or [0]
        return self._nodes.life.maintain(node, workers[0])

    def perform(self, request: Any) -> Any:
        """`PerformMaintenance`: now, instead of when it was announced for."""
        node = self._ready(request.name, "performMaintenance")
        _require_announced([node])
        return self._nodes.life.maintain(node, None)

    def perform_queued(self, request: Any) -> Any:
        """`PerformMaintenanceQueuedResource`: on the nodes that are named; without any, on all of it."""
        queued = self._queued.find(request.name)
        nodes = [
            self._ready(name, "performMaintenanceQueuedResource")
            for name in _chosen(queued, request.node_names)
        ]
        _require_announced(nodes)
        for node in nodes:
            self._nodes.life.maintain(node, None)
        operation = self._context.operations.start(queued.name, "performMaintenanceQueuedResource")
        self._context.operations.finish(operation, queued.message)
        return operation

    def _ready(self, name: str, verb: str) -> Node:
        node = self._nodes.find(name)
        if node.state != "READY":
            raise errors.wrong_state(verb, node.state)
        return node


def _chosen(queued: Queued, ids: list[str]) -> list[str]:
    """Full names of nodes, which a request may shorten to their ids."""
    parent = queued.name.partition("/queuedResources/")[0]
    named = [text if "/" in text else f"{parent}/nodes/{text}" for text in ids]
    foreign = [name for name in named if name not in queued.living]
    if foreign or not queued.living:
        raise errors.invalid(f"Invalid node_names: {queued.name} has no node {', '.join(foreign)}".rstrip())
    return named or sorted(queued.living)


def _require_announced(nodes: list[Node]) -> None:
    for node in nodes:
        if "upcoming_maintenance" not in node.message:
            raise errors.failed_precondition(f"{node.name} has no upcoming maintenance")
