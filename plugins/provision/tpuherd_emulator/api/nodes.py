"""The nodes of the cloud, and the API's methods about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import errors, names
from tpuherd_emulator.api.admission import Admission
from tpuherd_emulator.api.doing import Doing
from tpuherd_emulator.api.guest_attributes import guest_attributes
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.node import Node, check, describe
from tpuherd_emulator.api.node_events import NodeEvents
from tpuherd_emulator.api.node_life import NodeLife
from tpuherd_emulator.api.paging import page
from tpuherd_emulator.api.updating import update

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.context import Context


class Nodes:
    """All nodes by name. Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context) -> None:
        self.context = self._context = context
        self._all: dict[str, Node] = {}
        self._at: dict[str, tuple[Node, int]] = {}
        self.admission = Admission(context)
        self._life = NodeLife(context, self._forget)
        self.doing = Doing(context, lambda node: self._all.get(node.name) is node)
        self.events = NodeEvents(self.doing)
        self._life.maintained = self.events.maintain_now
        self.gone: Callable[[Node], None] = lambda _: None
        """Called with each node that has been removed: queued resources want to know."""
        self.revision = 0
        """Grows when nodes come and go."""

    def all(self) -> tuple[Node, ...]:
        """Return all nodes, in the order of their creation."""
        return tuple(self._all.values())

    def at(self, address: str) -> tuple[Node, int] | None:
        """Return the node at a worker's address, and the number of the worker."""
        return self._at.get(address)

    def addresses(self) -> set[str]:
        """Return the addresses of all workers."""
        return set(self._at)

    def create(self, request: Any) -> Any:
        """`CreateNode`: what lacks quota is refused, what lacks capacity fails later."""
        parent = names.location(request.parent, self._context.project)
        name = f"{parent}/nodes/{request.node_id}"
        self.check_new(name, request.node)
        self.admission.check_node(parent.zone, request)
        node = self.add(name, request.node)
        self._context.quota.hold(name, node.need)
        return self._life.create(node, self.admission.refusal(node))

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
        return self._life.start(node, lambda: self.admission.shortage(node))

    def update(self, request: Any) -> Any:
        """`UpdateNode`."""
        return update(self._context, self.find(request.node.name), request)

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
        self._context.places.check(names.zone_of(name), check(requested))
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
        self._context.clock.stamp(type(message).pb(message).create_time)
        self._all[name] = node = Node(message=message, machines=machines, accelerator=accelerator)
        self._at |= {machine.plan.address: (node, index) for index, machine in enumerate(machines)}
        self.revision += 1
        self._context.changed()
        return node

    @property
    def life(self) -> NodeLife:
        """The transitions of nodes."""
        return self._life

    def _forget(self, node: Node) -> None:
        self._all.pop(node.name, None)
        for machine in node.machines:
            self._at.pop(machine.plan.address, None)
        self.revision += 1
        self._context.quota.free(node.name)
        self._context.capacity.free(node.name)
        self.gone(node)
