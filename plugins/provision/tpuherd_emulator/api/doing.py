"""Doing things to a node's workers, or later, unless the node is gone by then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.node import Node
    from tpuherd_emulator.workers.machine import Machine


@dataclass(frozen=True, slots=True)
class Doing:
    """Hands work to the workers' threads and comes back under the scheduler's lock."""

    context: Context
    is_there: Callable[[Node], bool]
    """False for nodes that are gone."""

    def work(
        self,
        node: Node,
        action: Callable[[Machine], None],
        then: Callable[[], None],
        worker: int | None = None,
    ) -> None:
        """Do something to one worker of a node, or to all; go on when it is done, well or badly."""
        machines = node.machines if worker is None else node.machines[worker : worker + 1]
        done = self.context.fleet.each(action, machines)
        self.context.when_done(done, lambda _: then() if self.is_there(node) else None)

    def later(self, node: Node, delay_s: float, action: Callable[[], None]) -> None:
        """Do something after emulated seconds."""
        self.context.scheduler.after(delay_s, lambda: action() if self.is_there(node) else None)
