"""The queued resources of the cloud, and the API's methods about them.

A `queueing_policy` is kept and shown, and never comes to bear: nothing has to wait for capacity here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import errors, names
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.paging import page
from tpuherd_emulator.api.queue_life import QueueLife
from tpuherd_emulator.api.queued_resource import Queued, wanted_nodes

if TYPE_CHECKING:
    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.nodes import Nodes

FORCELESS = frozenset({"ACCEPTED", "FAILED", "SUSPENDED"})
"""States that can be deleted without force."""


class QueuedResources:
    """All queued resources by name. Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context, nodes: Nodes) -> None:
        self._context = context
        self._nodes = nodes
        self._all: dict[str, Queued] = {}
        self._requests: dict[tuple[str, str], Any] = {}
        self._life = QueueLife(context, nodes, self._forget)

    def create(self, request: Any) -> Any:
        """`CreateQueuedResource`; the same `request_id` again returns the same operation."""
        parent = names.location(request.parent, self._context.project)
        return self._once(str(parent), request.request_id, lambda: self._create(parent, request))

    def get(self, request: Any) -> Any:
        """`GetQueuedResource`."""
        return self._find(request.name).message

    def list(self, request: Any) -> Any:
        """`ListQueuedResources`."""
        place = names.location(request.parent, self._context.project, any_zone=True)
        found = [queued.message for queued in self._all.values() if place.covers(queued.name)]
        shown, token = page(found, request.page_size, request.page_token)
        return messages.ListQueuedResourcesResponse(queued_resources=shown, next_page_token=token)

    def delete(self, request: Any) -> Any:
        """`DeleteQueuedResource`: with force, its nodes are deleted, too."""
        return self._once(request.name, request.request_id, lambda: self._delete(request))

    def reset(self, request: Any) -> Any:
        """`ResetQueuedResource`: one that lost its nodes queues again.

        The documentation does not say from which states; here: SUSPENDED and FAILED.
        """
        queued = self._find(request.name)
        if queued.state not in {"SUSPENDED", "FAILED"}:
            raise errors.failed_precondition(
                f"{queued.name} is {queued.state}: only SUSPENDED or FAILED can be reset"
            )
        operation = self._context.operations.start(queued.name, "reset")
        self._life.queue(queued)
        self._context.operations.finish(operation, queued.message)
        return operation

    def _create(self, parent: names.Location, request: Any) -> Any:
        name = f"{parent}/queuedResources/{request.queued_resource_id}"
        names.check_id(request.queued_resource_id, "queued_resource_id")
        if name in self._all:
            raise errors.already_exists(name)
        wanted = wanted_nodes(request, parent)
        for node, requested in wanted.items():
            self._nodes.check_new(node, requested)
        queued = self._all[name] = Queued(message=_message(name, request.queued_resource), wanted=wanted)
        operation = self._context.operations.start(name, "create")
        self._life.queue(queued)
        self._context.operations.finish(operation, queued.message)
        return operation

    def _delete(self, request: Any) -> Any:
        queued = self._find(request.name)
        if queued.state == "DELETING":
            raise errors.wrong_state("delete", queued.state)
        if queued.state not in FORCELESS and not request.force:
            raise errors.failed_precondition(
                f"{queued.name} is {queued.state}: without force only these can be deleted: "
                f"{', '.join(sorted(FORCELESS))}"
            )
        return self._life.delete(queued)

    def _once(self, scope: str, request_id: str, act: Any) -> Any:
        """Do something once per request id and return the operation that the first request got."""
        key = (scope, request_id)
        if request_id and key in self._requests:
            return self._requests[key]
        operation = act()
        if request_id:
            self._requests[key] = operation
        return operation

    def _find(self, name: str) -> Queued:
        names.resource(name, "queuedResources", self._context.project)
        if name not in self._all:
            raise errors.not_found(name)
        return self._all[name]

    def _forget(self, queued: Queued) -> None:
        self._all.pop(queued.name, None)


def _message(name: str, requested: Any) -> Any:
    message = messages.QueuedResource()
    type(message).copy_from(message, requested)
    message.name = name
    type(message).pb(message).create_time.GetCurrentTime()
    return message
