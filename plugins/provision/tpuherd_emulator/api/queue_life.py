"""How queued resources move through their states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api.errors import ApiError, internal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.node import Node
    from tpuherd_emulator.api.nodes import Nodes
    from tpuherd_emulator.api.queued_resource import Queued


class QueueLife:
    """The transitions of queued resources. Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context, nodes: Nodes, forget: Callable[[Queued], None]) -> None:
        self._context = context
        self._nodes = nodes
        self._forget = forget
        self._owners: dict[str, Queued] = {}
        self._deletions: dict[str, Any] = {}
        nodes.gone = self._node_gone

    def queue(self, queued: Queued) -> None:
        """ACCEPTED now, then WAITING_FOR_RESOURCES, PROVISIONING, and ACTIVE when its nodes are READY."""
        queued.walk += 1
        queued.become("ACCEPTED", "USER")
        pause_s = self._context.options.queue_s
        self._step(queued, pause_s, lambda: queued.become("WAITING_FOR_RESOURCES"))
        self._step(queued, 2 * pause_s, lambda: queued.become("PROVISIONING"))
        self._step(queued, 3 * pause_s, lambda: self._provision(queued))

    def delete(self, queued: Queued) -> Any:
        """DELETING, until its nodes are gone."""
        queued.walk += 1
        queued.become("DELETING", "USER")
        operation = self._deletions[queued.name] = self._context.operations.start(queued.name, "delete")
        self._delete_nodes(queued)
        self._context.scheduler.after(self._context.options.delete_s, lambda: self._emptied(queued))
        return operation

    def _step(self, queued: Queued, delay_s: float, action: Callable[[], None]) -> None:
        """Do something later, unless the resource was reset or deleted in the meantime."""
        walk = queued.walk
        self._context.scheduler.after(delay_s, lambda: action() if queued.walk == walk else None)

    def _provision(self, queued: Queued) -> None:
        try:
            nodes = self._nodes.add_slices(queued.wanted, queued.name)
        except ApiError as error:  # something took a name while this one was waiting
            queued.fail(error)
            return
        walk = queued.walk
        for node in nodes:
            queued.living.add(node.name)
            self._owners[node.name] = queued
        for node in nodes:
            self._nodes.life.create(node, then=lambda: self._arrived(queued, nodes, walk))

    def _arrived(self, queued: Queued, nodes: tuple[Node, ...], walk: int) -> None:
        if queued.walk == walk and all(node.state == "READY" for node in nodes):
            queued.become("ACTIVE")
        self._context.changed()

    def _node_gone(self, node: Node) -> None:
        queued = self._owners.pop(node.name, None)
        if queued is None:
            return
        queued.living.discard(node.name)
        if queued.state == "PROVISIONING":
            queued.walk += 1
            queued.fail(internal(f"{node.name} was lost before all nodes were READY"))
            self._delete_nodes(queued)
        elif queued.state != "FAILED":
            self._emptied(queued)

    def _delete_nodes(self, queued: Queued) -> None:
        for name in tuple(queued.living):
            node = self._nodes.find(name)
            if node.state != "DELETING":
                self._nodes.life.delete(node)

    def _emptied(self, queued: Queued) -> None:
        """Without nodes, one that is being deleted is gone, and any other one is suspended."""
        if queued.living:
            return
        if queued.state != "DELETING":
            queued.walk += 1
            queued.become("SUSPENDING", "USER")
            self._step(queued, self._context.options.queue_s, lambda: queued.become("SUSPENDED", "USER"))
        elif queued.name in self._deletions:
            self._forget(queued)
            self._context.operations.finish(self._deletions.pop(queued.name))
            self._context.changed()
