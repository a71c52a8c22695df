"""How nodes come, go, stop and start: their states over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import errors
from tpuherd_emulator.api.courses import Courses, release

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.course import Course
    from tpuherd_emulator.api.node import Node


class NodeLife:
    """The operations on nodes. Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context, forget: Callable[[Node], None]) -> None:
        self._context = context
        self._forget = forget
        self.courses = Courses(context, forget)
        self.maintained: Callable[[Node, int | None], None] = lambda *_: None
        """Called with a node and a worker, or `None` for all, whose maintenance was asked for."""

    def create(
        self, node: Node, refusal: errors.ApiError | None, *, then: Callable[[], None] = lambda: None
    ) -> Any:
        """Boot a node that is CREATING.

        Args:
            node: The node.
            refusal: The error that this ends with; the node is gone then.
            then: Called when it is READY, has failed, or was overtaken on its way.

        Returns:
            The operation.
        """
        course = self.courses.begin(node, "CreateNode", "CREATING", "READY", then)
        node.authorize(self._context.public_key)
        return self._boot(course, refusal)

    def delete(self, node: Node) -> Any:
        """Remove a node in any state but DELETING, and its workers."""
        if node.state == "DELETING":
            raise errors.wrong_state("delete", node.state)
        course = self.courses.begin(node, "DeleteNode", "DELETING", "")
        release(node)
        if course.trouble.stuck:
            node.held = lambda: self._remove(course)
        else:
            self.courses.after(course, self._delete_s(), lambda: self._remove(course))
        return course.operation

    def stop(self, node: Node) -> Any:
        """Power a READY node off; its disk stays, its chips are free for others."""
        _require(node, "READY", "stop")
        course = self.courses.begin(node, "StopNode", "STOPPING", "STOPPED")
        self._context.capacity.free(node.name)
        self.courses.after(course, self._delete_s(), lambda: self._power_off(course))
        return course.operation

    def start(self, node: Node, refusal: Callable[[], errors.ApiError | None]) -> Any:
        """Power a STOPPED node on; if there is a refusal, it is STOPPED again at the end."""
        _require(node, "STOPPED", "start")
        course = self.courses.begin(node, "StartNode", "STARTING", "READY")
        return self._boot(course, refusal())

    def maintain(self, node: Node, worker: int | None) -> Any:
        """Start maintenance of one worker of a READY node now, or of all of them.

        Returns:
            The operation; it is done at once, the maintenance goes on.
        """
        operation = self._context.operations.start(node.name, "simulateMaintenanceEvent")
        self.maintained(node, worker)
        self._context.operations.finish(operation, node.message)
        return operation

    def _boot(self, course: Course, refusal: errors.ApiError | None) -> Any:
        least_s = self._context.draw_s(self._context.options.create_s)
        if refusal is None:
            self.courses.boot(course, least_s)
        else:
            self.courses.after(course, least_s, lambda: self.courses.arrive(course, refusal))
        return course.operation

    def _power_off(self, course: Course) -> None:
        stopped = self._context.fleet.stop(course.node.machines)
        self._context.when_done(stopped, lambda error: self.courses.arrive(course, error))

    def _remove(self, course: Course) -> None:
        def removed(_: BaseException | None) -> None:
            self._forget(course.node)
            self.courses.finish(course, None)

        self._context.when_done(self._context.fleet.remove(course.node.machines), removed)

    def _delete_s(self) -> float:
        return self._context.draw_s(self._context.options.delete_s)


def _require(node: Node, state: str, verb: str) -> None:
    if node.state != state:
        raise errors.wrong_state(verb, node.state)
