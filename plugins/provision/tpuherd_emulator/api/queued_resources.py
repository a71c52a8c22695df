"""The queued resources of the cloud, and the API's methods about them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import errors, names
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.paging import page
from tpuherd_emulator.api.policy import window_of
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
        self._life = QueueLife(context, nodes, self._forget)

    @property
    def life(self) -> QueueLife:
        """The transitions of queued resources."""
        return self._life

    def all(self) -> tuple[Queued, ...]:
        """Return all of them, in the order of their creation."""
        return tuple(self._all.values())

    def create(self, request: Any) -> Any:
        """`CreateQueuedResource`; the same `request_id` again returns the same operation."""
        parent = names.location(request.parent, self._context.project)
        return self._create(parent, request)

    def get(self, request: Any) -> Any:
        """`GetQueuedResource`."""
        return self.find(request.name).message

    def list(self, request: Any) -> Any:
        """`ListQueuedResources`."""
        place = names.location(request.parent, self._context.project, any_zone=True)
        found = [queued.message for queued in self._all.values() if place.covers(queued.name)]
        shown, token = page(found, request.page_size, request.page_token)
        return messages.ListQueuedResourcesResponse(queued_resources=shown, next_page_token=token)

    def delete(self, request: Any) -> Any:
        """`DeleteQueuedResource`: with force, its nodes are deleted, too."""
        return self._delete(request)

    def reset(self, request: Any) -> Any:
        """`ResetQueuedResource`: one that lost its nodes queues again.

        The documentation does not say from which states; here: SUSPENDED and FAILED.
        """
        queued = self.find(request.name)
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
        queued = Queued(message=_message(name, request.queued_resource), wanted=wanted)
        self._admit(queued)
        self._all[name] = queued
        operation = self._context.operations.start(name, "create")
        self._life.queue(queued)
        self._context.operations.finish(operation, queued.message)
        return operation

    def _admit(self, queued: Queued) -> None:
        """Refuse what there is no quota for; it is held from PROVISIONING on, until the deletion."""
        clock = self._context.clock
        clock.stamp(type(queued.message).pb(queued.message).create_time)
        queued.window = window_of(queued.message.queueing_policy, clock.time())
        subject = replace(queued.subject, method="CreateQueuedResource")
        self._nodes.admission.check_quota(subject, queued.accelerator, queued.need)

    def _delete(self, request: Any) -> Any:
        queued = self.find(request.name)
        if queued.state == "DELETING":
            raise errors.wrong_state("delete", queued.state)
        if queued.state not in FORCELESS and not request.force:
            raise errors.failed_precondition(
                f"{queued.name} is {queued.state}: without force only these can be deleted: "
                f"{', '.join(sorted(FORCELESS))}"
            )
        return self._life.delete(queued)

    def find(self, name: str) -> Queued:
        """Return a queued resource.

        Raises:
            ApiError: The name is malformed, or there is none.
        """
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
    return message
