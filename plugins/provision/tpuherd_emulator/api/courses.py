"""Operations on nodes from their beginning to their end, with all that can go wrong on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd_emulator.api import errors
from tpuherd_emulator.api.course import Course, trouble_of
from tpuherd_emulator.faults.refusals import preempted_in_creation

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.node import Node


class Courses:
    """Begins, boots and ends. Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context, forget: Callable[[Node], None]) -> None:
        self._context = context
        self._forget = forget
        self.ready: Callable[[Node], None] = lambda _: None
        """Called with each node that was created or started and is READY."""

    def begin(
        self, node: Node, method: str, way: str, goal: str, then: Callable[[], None] = lambda: None
    ) -> Course:
        """Put a node on its way to another state, and start the operation that clients see."""
        node.become(way)
        verb = method.removesuffix("Node").lower()
        operation = self._context.operations.start(node.name, verb)
        trouble = trouble_of(self._context.injector, replace(node.subject, method=method))
        self._context.changed()
        return Course(node=node, operation=operation, way=way, goal=goal, trouble=trouble, then=then)

    def boot(self, course: Course, least_s: float) -> None:
        """Power the workers on after `least_s`, and arrive when they answer, later if it is slow."""
        self._context.scheduler.after(least_s, lambda: self._power_on(course))

    def after(self, course: Course, delay_s: float, action: Callable[[], None]) -> None:
        """Do something later: later still if the operation is slow."""
        self._context.scheduler.after(delay_s + course.trouble.delay_s, action)

    def arrive(self, course: Course, error: BaseException | None) -> None:
        """End a transition, unless it is stuck, or something has overtaken it."""
        node = course.node
        if node.state != course.way:
            self.finish(course, _overtaken(node))
        elif error is not None:
            self._turn_back(course)
            self.finish(course, error)
        elif course.trouble.stuck:
            node.held = lambda: self.arrive(course.freed(), None)
        else:
            node.become(course.goal)
            self.finish(course, None)
            if course.goal == "READY":
                self.ready(node)

    def finish(self, course: Course, error: BaseException | None) -> None:
        """End an operation, unless it is lost."""
        if not course.trouble.lost:
            self._report(course, error)
        self._context.changed()
        course.then()

    def _power_on(self, course: Course) -> None:
        if course.node.state != course.way:
            self.arrive(course, None)
            return

        def answered(error: BaseException | None) -> None:
            delay_s = course.trouble.delay_s if error is None else 0
            self._context.scheduler.after(delay_s, lambda: self.arrive(course, error))

        self._context.when_done(self._context.fleet.boot(course.node.machines), answered)

    def _turn_back(self, course: Course) -> None:
        """A node that could not be created is gone; one that could not be started is STOPPED again."""
        if course.way == "CREATING":
            self._context.fleet.remove(course.node.machines)
            self._forget(course.node)
        else:
            course.node.become("STOPPED")
            self._context.capacity.free(course.node.name)

    def _report(self, course: Course, error: BaseException | None) -> None:
        operations = self._context.operations
        if error is not None:
            known = error if isinstance(error, errors.ApiError) else errors.internal(str(error))
            operations.fail(course.operation, known)
        else:
            operations.finish(course.operation, course.node.message if course.goal else None)


def release(node: Node) -> None:
    """Whatever was stuck on a node goes on; if its state is another by now, it was overtaken."""
    held, node.held = node.held, None
    if held is not None:
        held()


def _overtaken(node: Node) -> errors.ApiError:
    """A node that was preempted meanwhile has a documented text, others have our own."""
    if node.state == "PREEMPTED":
        return preempted_in_creation()
    return errors.cancelled(f"The operation was overtaken: {node.name} is {node.state}")
