"""How queued resources move through their states."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api.course import trouble_of
from tpuherd_emulator.api.errors import ApiError
from tpuherd_emulator.api.queue_line import QueueLine
from tpuherd_emulator.api.queue_nodes import QueueNodes
from tpuherd_emulator.faults import refusals

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.nodes import Nodes
    from tpuherd_emulator.api.queued_resource import Queued


class QueueLife:
    """The transitions of queued resources. Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context, nodes: Nodes, forget: Callable[[Queued], None]) -> None:
        self._context = context
        self._forget = forget
        self._line = QueueLine(context, self._served)
        self._nodes = QueueNodes(context, nodes, self)
        self._deletions: dict[str, Any] = {}
        self.active: Callable[[Queued], None] = lambda _: None
        """Called with each that has become ACTIVE."""

    def queue(self, queued: Queued) -> None:
        """ACCEPTED now, then WAITING_FOR_RESOURCES, PROVISIONING, and ACTIVE when its nodes are READY."""
        queued.walk += 1
        queued.refusal = None
        queued.become("ACCEPTED", "USER")
        self._step(queued, self._queue_s(), lambda: self._wait(queued))
        if queued.window.until < float("inf"):
            rest_s = queued.window.until - self._context.clock.time()
            self._step(queued, max(0.0, rest_s), lambda: self._expire(queued))

    def delete(self, queued: Queued) -> Any:
        """DELETING, until its nodes are gone."""
        queued.walk += 1
        self._line.leave(queued)
        subject = replace(queued.subject, method="DeleteQueuedResource")
        trouble = trouble_of(self._context.injector, subject)
        queued.become("DELETING", "USER")
        operation = self._context.operations.start(queued.name, "delete")

        def clear() -> None:
            self._deletions[queued.name] = None if trouble.lost else operation
            self._clear(queued)

        if trouble.stuck:
            queued.held = clear
        else:
            self._nodes.delete(queued)
            delay_s = self._context.draw_s(self._context.options.delete_s) + trouble.delay_s
            self._context.scheduler.after(delay_s, clear)
        return operation

    def suspend(self, queued: Queued, initiator: str) -> None:
        """SUSPENDING, then SUSPENDED without nodes; `initiator` is `USER` or `SERVICE`."""
        queued.walk += 1
        self._line.leave(queued)
        queued.become("SUSPENDING", initiator)
        self._context.changed()
        self._step(queued, self._queue_s(), lambda: self._clear(queued))

    def fail(self, queued: Queued, error: ApiError) -> None:
        """FAILED, listed until it is deleted; its nodes go."""
        queued.walk += 1
        self._line.leave(queued)
        queued.fail(error)
        self._nodes.delete(queued)
        self._context.changed()

    def arrived(self, queued: Queued) -> None:
        """ACTIVE: all nodes are READY."""
        queued.become("ACTIVE")
        self._context.changed()
        self.active(queued)

    def emptied(self, queued: Queued) -> None:
        """Without nodes, one that is being deleted is gone, and any other one is suspended."""
        if queued.state == "SUSPENDING":
            queued.become("SUSPENDED", _initiator(queued))
        elif queued.state == "DELETING":
            self._gone(queued)
        elif queued.state == "ACTIVE":
            self.suspend(queued, "USER")
        self._context.changed()

    def heal(self, queued: Queued) -> None:
        """Let a deletion that is stuck go on."""
        held, queued.held = queued.held, None
        if held is not None:
            held()

    def _wait(self, queued: Queued) -> None:
        queued.become("WAITING_FOR_RESOURCES")
        self._context.changed()
        self._step(queued, self._queue_s(), lambda: self._line.join(queued))

    def _served(self, queued: Queued) -> None:
        """PROVISIONING: its chips are there; from now on it holds quota, until it is deleted."""
        queued.become("PROVISIONING")
        self._context.changed()
        short = self._context.quota.short(queued.need)
        if short is not None:
            pod, limit = queued.accelerator.workers > 1, self._context.quota.limits[short]
            pool = replace(queued.need.pool, place=short.place)
            self.fail(queued, refusals.quota(pool, limit, pod=pod))
            return
        self._context.quota.hold(queued.name, queued.need)
        self._step(queued, self._queue_s(), lambda: self._provision(queued))

    def _provision(self, queued: Queued) -> None:
        try:
            self._nodes.create(queued)
        except ApiError as error:  # something took a name while this one was waiting
            self.fail(queued, error)

    def _expire(self, queued: Queued) -> None:
        """The time in which it was valid is over; one that is being provisioned is not given up."""
        if queued.state in {"ACCEPTED", "WAITING_FOR_RESOURCES"}:
            self.fail(queued, refusals.expired(queued.name))

    def _clear(self, queued: Queued) -> None:
        """Remove what nodes there are; without any, that was it."""
        self._nodes.delete(queued)
        if not queued.living:
            self.emptied(queued)

    def _gone(self, queued: Queued) -> None:
        if queued.name not in self._deletions:
            return
        operation = self._deletions.pop(queued.name)
        self._context.quota.free(queued.name)
        self._forget(queued)
        if operation is not None:
            self._context.operations.finish(operation)

    def _step(self, queued: Queued, delay_s: float, action: Callable[[], None]) -> None:
        """Do something later, unless the resource was reset or deleted in the meantime."""
        walk = queued.walk
        self._context.scheduler.after(delay_s, lambda: action() if queued.walk == walk else None)

    def _queue_s(self) -> float:
        return self._context.draw_s(self._context.options.queue_s)


def _initiator(queued: Queued) -> str:
    return str(type(queued.message.state).StateInitiator(queued.message.state.state_initiator).name)
