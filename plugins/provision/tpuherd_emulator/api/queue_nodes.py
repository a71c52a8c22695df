"""The nodes of queued resources: made together, and looked after by those they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd_emulator.api.errors import internal
from tpuherd_emulator.api.node import Multislice
from tpuherd_emulator.api.queue_line import ticket
from tpuherd_emulator.faults.refusals import preempted_in_creation

if TYPE_CHECKING:
    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.node import Node
    from tpuherd_emulator.api.nodes import Nodes
    from tpuherd_emulator.api.queue_life import QueueLife
    from tpuherd_emulator.api.queued_resource import Queued

LOST = frozenset({"PREEMPTED", "TERMINATED"})


class QueueNodes:
    """Knows which node belongs to whom. Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context, nodes: Nodes, life: QueueLife) -> None:
        self._context = context
        self._nodes = nodes
        self._life = life
        self._owners: dict[str, Queued] = {}
        nodes.gone = self._gone
        nodes.events.lost = self._lost

    def create(self, queued: Queued) -> None:
        """Make all nodes of a queued resource.

        Raises:
            ApiError: One of them cannot be made; then none is.
        """
        nodes = self._added(queued)
        walk = queued.walk
        for node in nodes:
            queued.living.add(node.name)
            self._owners[node.name] = queued
            self._context.capacity.move(ticket(queued, node.name), node.name)
            if "spot" in queued.message:
                node.message.scheduling_config.spot = True
        for node in nodes:
            refusal = self._nodes.admission.queue_refusal(node)
            queued.refusal = refusal or queued.refusal
            self._nodes.life.create(node, refusal, then=lambda: self._arrived(queued, nodes, walk))

    def delete(self, queued: Queued) -> None:
        """Delete the nodes that there are, and give back the chips of those that there are not yet."""
        for name in queued.wanted:
            self._context.capacity.free(ticket(queued, name))
        for name in tuple(queued.living):
            node = self._nodes.find(name)
            if node.state != "DELETING":
                self._nodes.life.delete(node)

    def _added(self, queued: Queued) -> tuple[Node, ...]:
        """Several nodes are one multislice, and each learns its place in it."""
        for name, requested in queued.wanted.items():
            self._nodes.check_new(name, requested)
        nodes = tuple(self._nodes.add(name, requested) for name, requested in queued.wanted.items())
        coordinator = nodes[0].machines[0].plan.address
        for index, node in enumerate(nodes):
            node.message.queued_resource = queued.name
            node.message.multislice_node = len(nodes) > 1
            if len(nodes) > 1:
                node.multislice = Multislice(index=index, count=len(nodes), coordinator=coordinator)
        return nodes

    def _arrived(self, queued: Queued, nodes: tuple[Node, ...], walk: int) -> None:
        if queued.walk == walk and all(node.state == "READY" for node in nodes):
            self._life.arrived(queued)

    def _lost(self, node: Node) -> None:
        """The service took a node: one that still came up fails the request, the last one suspends it."""
        queued = self._owners.get(node.name)
        if queued is None:
            return
        if queued.state == "PROVISIONING":
            self._life.fail(queued, preempted_in_creation())
        elif queued.state == "ACTIVE" and self._all_lost(queued):
            self._life.suspend(queued, "SERVICE")

    def _all_lost(self, queued: Queued) -> bool:
        return all(self._nodes.find(name).state in LOST for name in queued.living)

    def _gone(self, node: Node) -> None:
        queued = self._owners.pop(node.name, None)
        if queued is None:
            return
        queued.living.discard(node.name)
        if queued.state == "PROVISIONING":
            lost = internal(f"{node.name} was lost before all nodes were READY")
            self._life.fail(queued, queued.refusal or lost)
        elif not queued.living:
            self._life.emptied(queued)
