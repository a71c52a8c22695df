"""The line of those who wait for resources: served in the order of their arrival."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tpuherd_emulator.api.node import need
from tpuherd_emulator.options import bounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.queued_resource import Queued
    from tpuherd_emulator.faults.limits import Pool

LONGEST_LOOK_S = 30.0
"""Between two looks of one that a fault has kept from its resources."""


class QueueLine:
    """Everything here is called under the scheduler's lock, but `look_soon`."""

    def __init__(self, context: Context, serve: Callable[[Queued], None]) -> None:
        """Begin with nobody.

        Args:
            context: Of the cloud.
            serve: Called with each that has its chips now.
        """
        self._context = context
        self._serve = serve
        self._waiting: dict[str, Queued] = {}
        self._planning = threading.Lock()
        self._planned = float("inf")
        """When the next look is, on the cloud's clock: one is enough for all who wait."""
        context.capacity.changed = self.look_soon
        context.injector.changed = self.look_soon

    def join(self, queued: Queued) -> None:
        """Wait at the end of the line."""
        self._waiting[queued.name] = queued
        queued.looks = 0
        self._look()

    def leave(self, queued: Queued) -> None:
        """Wait no more."""
        self._waiting.pop(queued.name, None)

    def look_soon(self, delay_s: float = 0.0) -> None:
        """Look later whether somebody can be served. May be called from any thread."""
        if not self._waiting:
            return
        due = self._context.clock.now() + delay_s
        with self._planning:
            if due >= self._planned:
                return
            self._planned = due
        self._context.scheduler.after(delay_s, self._planned_look)

    def _planned_look(self) -> None:
        """Look, unless an earlier look has planned anew."""
        with self._planning:
            if self._planned > self._context.clock.now():
                return
            self._planned = float("inf")
        self._look()

    def _look(self) -> None:
        """Serve who can be served; who does not fit keeps those behind from the same chips."""
        blocked: set[Pool] = set()
        for queued in tuple(self._waiting.values()):
            pool = queued.need.pool
            if pool not in blocked and not self._served(queued):
                blocked.add(pool)

    def _served(self, queued: Queued) -> bool:
        early_s = queued.window.after - self._context.clock.time()
        if early_s > 0:
            self.look_soon(early_s)
            return True  # it is not its turn yet: nobody waits for it
        if self._context.injector.take(queued.subject, "stockout"):
            self._look_again(queued)
            return False
        if self._context.capacity.short(queued.need):
            return False
        self.leave(queued)
        self._hold(queued)
        self._serve(queued)
        return True

    def _look_again(self, queued: Queued) -> None:
        """A stockout may strike only now and then, or only so often: look again, ever later."""
        queued.looks += 1
        pause_s = max(bounds(self._context.options.queue_s)[1], 0.05)
        self.look_soon(min(pause_s * 2**queued.looks, LONGEST_LOOK_S))

    def _hold(self, queued: Queued) -> None:
        for name in queued.wanted:
            each = need(queued.zone, queued.accelerator, queued.need.pool.market)
            self._context.capacity.hold(ticket(queued, name), each)


def ticket(queued: Queued, node_name: str) -> str:
    """The holder of a node's chips before the node exists."""
    return f"{queued.name} {node_name}"
