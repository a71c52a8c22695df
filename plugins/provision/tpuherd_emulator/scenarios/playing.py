"""Playing scenarios in a cloud that runs: at their times, and when their conditions come true."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError
from tpuherd_emulator.faults.limit import CAPACITY, QUOTA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.nodes import Nodes
    from tpuherd_emulator.api.queued_resources import QueuedResources
    from tpuherd_emulator.api.striking import Striking
    from tpuherd_emulator.faults.fault import Fault
    from tpuherd_emulator.faults.limit import Limit
    from tpuherd_emulator.scenarios.model import Condition, Entry, Scenario, Step


class Player:
    """Does what scenarios and the control ask for. Called under the scheduler's lock."""

    def __init__(self, context: Context, nodes: Nodes, queued: QueuedResources, striking: Striking) -> None:
        self._context = context
        self._nodes = nodes
        self._queued = queued
        self._striking = striking
        self._expected: list[Entry] = []

    def begin(self, scenario: Scenario) -> None:
        """Set what holds from the beginning, and plan what happens later.

        Raises:
            ConfigError: A fault of the beginning has nothing to strike; those before it are armed.
        """
        for name, parts in ((CAPACITY, scenario.capacity), (QUOTA, scenario.quota)):
            for part in parts:
                self.limit(part.limit(name))
        for fault in scenario.faults:
            self.fault(fault.fault())
        for entry in scenario.timeline:
            if entry.when is None:
                self._plan(entry)
            else:
                self._expected.append(entry)
        self.look()

    def fault(self, fault: Fault) -> Fault:
        """Let something go wrong.

        Raises:
            ConfigError: There is nothing that it could strike.
        """
        return self._striking.begin(fault)

    def limit(self, limit: Limit) -> None:
        """Set capacity or quota."""
        ledger = self._context.capacity if limit.limit == CAPACITY else self._context.quota
        ledger.limit(limit.pool, limit.chips)

    def look(self) -> None:
        """Something has changed: entries may have waited for it."""
        for entry in tuple(self._expected):
            if entry.when is not None and self._holds(entry.when):
                self._expected.remove(entry)
                self._plan(entry)

    def _plan(self, entry: Entry) -> None:
        self._context.scheduler.after(entry.at, lambda: self._do(entry.do))

    def _do(self, steps: Iterable[Step]) -> None:
        for step in steps:
            try:
                self._step(step)
            except ConfigError as error:  # nobody is there to be told but the daemon's log
                print(f"scenario: {error}", flush=True)  # noqa: T201

    def _step(self, step: Step) -> None:
        if step.fault is not None:
            self.fault(step.fault.fault())
        elif step.clear is not None:
            self._context.injector.clear("" if step.clear == "all" else step.clear)
        elif step.capacity is not None:
            self.limit(step.capacity.limit(CAPACITY))
        elif step.quota is not None:
            self.limit(step.quota.limit(QUOTA))
        elif step.speed is not None:
            self._context.scheduler.set_speed(step.speed)

    def _holds(self, condition: Condition) -> bool:
        pattern = condition.node if condition.node is not None else condition.queued_resource
        known = (
            ((node.node_id, node.state) for node in self._nodes.all())
            if condition.node is not None
            else ((queued.id, queued.state) for queued in self._queued.all())
        )
        return any(fnmatchcase(name, pattern or "") and state == condition.state for name, state in known)
