"""The nodes of the cloud, and the API's methods about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import errors, names
from tpuherd_emulator.api.guest_attributes import guest_attributes
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.node import Multislice, Node, check, describe
from tpuherd_emulator.api.node_life import NodeLife
from tpuherd_emulator.api.paging import page

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.context import Context

UPDATABLE = frozenset({"description", "tags", "labels", "metadata"})
"""The fields that `UpdateNode` documents, except for external addresses."""


class Nodes:
    """All nodes by name. Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._all: dict[str, Node] = {}
        self._life = NodeLife(context, self._forget)
        self.gone: Callable[[Node], None] = lambda _: None
        """Called with each node that has been removed: queued resources want to know."""

    def all(self) -> tuple[Node, ...]:
        """Return all nodes, in the order of their creation."""
        return tuple(self._all.values())

    def create(self, request: Any) -> Any:
        """`CreateNode`."""
        parent = names.location(request.parent, self._context.project)
        node = self.add(f"{parent}/nodes/{request.node_id}", request.node)
        return self._life.create(node)

    def get(self, request: Any) -> Any:
        """`GetNode`."""
        return self.find(request.name).message

    def list(self, request: Any) -> Any:
        """`ListNodes`."""
        place = names.location(request.parent, self._context.project, any_zone=True)
        found = [node.message for node in self._all.values() if place.covers(node.name)]
        shown, token = page(found, request.page_size, request.page_token)
        return messages.ListNodesResponse(nodes=shown, next_page_token=token)

    def delete(self, request: Any) -> Any:
        """`DeleteNode`."""
        return self._life.delete(self.find(request.name))

    def stop(self, request: Any) -> Any:
        """`StopNode`: only nodes of one worker that are not spot can be stopped."""
        node = self.find(request.name)
        if len(node.machines) > 1:
            raise errors.failed_precondition(f"{node.name} has more than one worker: it cannot be stopped")
        return self._life.stop(node)

    def start(self, request: Any) -> Any:
        """`StartNode`: spot nodes never start again."""
        node = self.find(request.name)
        scheduling = node.message.scheduling_config
        if scheduling.spot or scheduling.preemptible:
            raise errors.failed_precondition(
                f"{node.name} is a spot or preemptible node: it cannot be started again"
            )
        return self._life.start(node)

    def update(self, request: Any) -> Any:
        """`UpdateNode`: description, tags, labels and metadata; new SSH keys work at once."""
        node = self.find(request.node.name)
        if node.state != "READY":
            raise errors.wrong_state("update", node.state)
        unknown = set(request.update_mask.paths) - UPDATABLE
        if unknown or not request.update_mask.paths:
            raise errors.invalid(f"Invalid update_mask: {sorted(unknown)}; it may name {sorted(UPDATABLE)}")
        for field in request.update_mask.paths:
            setattr(node.message, field, getattr(request.node, field))
        node.authorize(self._context.public_key)
        operation = self._context.operations.start(node.name, "update")
        self._context.operations.finish(operation, node.message)
        self._context.changed()
        return operation

    def get_guest_attributes(self, request: Any) -> Any:
        """`GetGuestAttributes`."""
        return guest_attributes(self.find(request.name), request)

    def find(self, name: str) -> Node:
        """Return a node.

        Raises:
            ApiError: The name is malformed, or there is no such node.
        """
        names.resource(name, "nodes", self._context.project)
        if name not in self._all:
            raise errors.not_found(name)
        return self._all[name]

    def check_new(self, name: str, requested: Any) -> None:
        """Check a node that is asked for.

        Raises:
            ApiError: It cannot be created, or exists already.
        """
        names.check_id(names.resource(name, "nodes", self._context.project), "node_id")
        check(requested)
        if name in self._all:
            raise errors.already_exists(name)

    def add(self, name: str, requested: Any) -> Node:
        """Make a node with its addresses; it is CREATING, and nothing is started.

        Raises:
            ApiError: It cannot be created, or exists already.
        """
        self.check_new(name, requested)
        accelerator = check(requested)
        node_id = name.rpartition("/")[2]
        machines = self._context.fleet.plan(node_id, accelerator.workers, accelerator.chips_per_worker)
        message = describe(name, requested, next(self._context.numbers), accelerator, machines)
        self._all[name] = node = Node(message=message, machines=machines, accelerator=accelerator)
        self._context.changed()
        return node

    def add_slices(self, wanted: dict[str, Any], queued_resource: str) -> tuple[Node, ...]:
        """Make the nodes of a queued resource, by name; several are one multislice."""
        nodes = tuple(self.add(name, requested) for name, requested in wanted.items())
        for index, node in enumerate(nodes):
            node.message.queued_resource = queued_resource
            node.message.multislice_node = len(nodes) > 1
            if len(nodes) > 1:
                coordinator = nodes[0].machines[0].plan.address
                node.multislice = Multislice(index=index, count=len(nodes), coordinator=coordinator)
        return nodes

    @property
    def life(self) -> NodeLife:
        """The transitions of nodes."""
        return self._life

    def _forget(self, node: Node) -> None:
        self._all.pop(node.name, None)
        self.gone(node)
