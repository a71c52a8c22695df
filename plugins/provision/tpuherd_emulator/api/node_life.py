"""How nodes come, go, stop and start: their states over time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import errors

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.node import Node


class NodeLife:
    """The transitions of nodes. Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context, forget: Callable[[Node], None]) -> None:
        self._context = context
        self._forget = forget

    def create(self, node: Node, *, then: Callable[[], None] = lambda: None) -> Any:
        """Boot a node that is CREATING.

        Args:
            node: The node.
            then: Called when it is READY, has failed, or was deleted on its way.

        Returns:
            The operation.
        """
        operation = self._context.operations.start(node.name, "create")
        node.authorize(self._context.public_key)

        def booted(error: BaseException | None) -> None:
            self._created(node, operation, error)
            then()

        self._boot(node, booted)
        return operation

    def delete(self, node: Node, *, then: Callable[[], None] = lambda: None) -> Any:
        """Remove a node in any state but DELETING, and its workers."""
        if node.state == "DELETING":
            raise errors.wrong_state("delete", node.state)
        operation = self._begin(node, "DELETING", "delete")

        def removed(_: BaseException | None) -> None:
            self._forget(node)
            self._context.operations.finish(operation)
            self._context.changed()
            then()

        self._later(
            self._context.options.delete_s, lambda: self._context.fleet.remove(node.machines), removed
        )
        return operation

    def stop(self, node: Node) -> Any:
        """Power a READY node off; its disk stays."""
        _require(node, "READY", "stop")
        operation = self._begin(node, "STOPPING", "stop")
        self._later(
            self._context.options.delete_s,
            lambda: self._context.fleet.stop(node.machines),
            lambda error: self._arrive(node, operation, "STOPPING", "STOPPED", error),
        )
        return operation

    def start(self, node: Node) -> Any:
        """Power a STOPPED node on."""
        _require(node, "STOPPED", "start")
        operation = self._begin(node, "STARTING", "start")
        self._boot(node, lambda error: self._arrive(node, operation, "STARTING", "READY", error))
        return operation

    def _begin(self, node: Node, state: str, verb: str) -> Any:
        node.become(state)
        self._context.changed()
        return self._context.operations.start(node.name, verb)

    def _boot(self, node: Node, then: Callable[[BaseException | None], None]) -> None:
        """Power the workers on, and go on when they answer but not before `create_s` have passed."""
        earliest = time.monotonic() + self._context.options.create_s

        def answered(error: BaseException | None) -> None:
            rest_s = earliest - time.monotonic() if error is None else 0
            self._context.scheduler.after(max(0, rest_s), lambda: then(error))

        self._context.when_done(self._context.fleet.boot(node.machines), answered)

    def _later(
        self, delay_s: float, work: Callable[[], Future[None]], then: Callable[[BaseException | None], None]
    ) -> None:
        self._context.scheduler.after(delay_s, lambda: self._context.when_done(work(), then))

    def _created(self, node: Node, operation: Any, error: BaseException | None) -> None:
        if error is not None and node.state == "CREATING":
            self._context.fleet.remove(node.machines)
            self._forget(node)
        self._arrive(node, operation, "CREATING", "READY", error)

    def _arrive(self, node: Node, operation: Any, way: str, state: str, error: BaseException | None) -> None:
        """End a transition, unless another request has overtaken it."""
        if node.state != way:
            overtaken = f"The operation was overtaken: {node.name} is {node.state}"
            self._context.operations.fail(operation, errors.cancelled(overtaken))
        elif error is not None:
            self._context.operations.fail(operation, errors.internal(str(error)))
        else:
            node.become(state)
            self._context.operations.finish(operation, node.message)
        self._context.changed()


def _require(node: Node, state: str, verb: str) -> None:
    if node.state != state:
        raise errors.wrong_state(verb, node.state)
