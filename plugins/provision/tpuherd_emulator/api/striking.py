"""Faults that happen to nodes, workers and queued resources: who is struck, and what that does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError
from tpuherd_emulator.api.node_events import LOSABLE
from tpuherd_emulator.faults.kinds import KINDS, Strikes
from tpuherd_emulator.workers.actions import dirty, freeze, power_off, silence

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.node import Node
    from tpuherd_emulator.api.nodes import Nodes
    from tpuherd_emulator.api.queued_resource import Queued
    from tpuherd_emulator.api.queued_resources import QueuedResources
    from tpuherd_emulator.faults.fault import Fault
    from tpuherd_emulator.workers.machine import Machine

HAPPEN = tuple(name for name, kind in KINDS.items() if kind.happens)

SHOWN_ONLY = frozenset({"heal", "hidden", "symptom", "unhealthy"})
"""What can be said of a node in any state."""

ON_WORKERS: dict[str, Callable[[Machine], None]] = {
    "unreachable-worker": silence,
    "frozen-worker": freeze,
    "power-off": power_off,
    "dirty-device": dirty,
}


class Striking:
    """Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context, nodes: Nodes, queued: QueuedResources) -> None:
        self._context = context
        self._nodes = nodes
        self._queued = queued
        nodes.life.courses.ready = self._ready
        queued.life.active = self._active

    def begin(self, fault: Fault) -> Fault:
        """Let a fault strike: those that match now, and if it waits, those that come later.

        Raises:
            ConfigError: It does not wait, and nothing matches.
        """
        if fault.waits:
            armed = self._context.injector.arm(fault)
            self._meet_existing(armed)
            return armed
        if not self._strike_matching(fault):
            raise ConfigError(
                f"{fault.kind}: nothing matches zone {fault.zone}, type {fault.accelerator}, node "
                f"{fault.node}; `tpuherd cloud.status` shows what there is. With a count or a rate, the "
                "fault waits for something to come"
            )
        return fault

    def _meet_existing(self, fault: Fault) -> None:
        if fault.kind not in HAPPEN:
            return
        for node in self._nodes.all():
            if node.state == "READY":
                self._struck(node, (fault.kind,))
        for queued in self._queued.all():
            if queued.state == "ACTIVE":
                self._active(queued)

    def _strike_matching(self, fault: Fault) -> int:
        nodes = [node for node in self._nodes.all() if _strikable(node, fault)]
        queued = [queued for queued in self._queued.all() if fault.matches(queued.subject)]
        if KINDS[fault.kind].strikes is Strikes.QUEUE:
            nodes = []
        elif fault.kind != "heal":
            queued = []
        for node in nodes:
            self._apply(node, fault)
        for resource in queued:
            self._apply_to_queued(resource, fault)
        return len(nodes) + len(queued)

    def _ready(self, node: Node) -> None:
        """A node is there: its life may be limited, and faults may wait for it."""
        scheduling = node.message.scheduling_config
        if scheduling.preemptible and not scheduling.spot:
            limit_s = self._context.options.preemptible_limit_s
            self._nodes.doing.later(node, limit_s, lambda: self._nodes.events.terminate(node))
        self._struck(node, HAPPEN)

    def _struck(self, node: Node, kinds: tuple[str, ...]) -> None:
        for kind in kinds if self._context.injector.armed() else ():
            fault = self._context.injector.take(node.subject, kind)
            if fault is not None:
                self._apply(node, fault)

    def _active(self, queued: Queued) -> None:
        fault = self._context.injector.take(queued.subject, "suspended-queue")
        if fault is not None:
            self._apply_to_queued(queued, fault)

    def _apply(self, node: Node, fault: Fault) -> None:
        if fault.kind in ON_WORKERS:
            self._nodes.doing.later(node, fault.after_s, lambda: self._on_workers(node, fault))
        else:
            self._nodes.doing.later(node, fault.after_s, lambda: self._nodes.events.happen(node, fault))

    def _on_workers(self, node: Node, fault: Fault) -> None:
        machines = node.machines if fault.worker is None else node.machines[fault.worker : fault.worker + 1]
        done = self._context.fleet.each(ON_WORKERS[fault.kind], machines)
        self._context.when_done(done, lambda _: self._context.changed())

    def _apply_to_queued(self, queued: Queued, fault: Fault) -> None:
        def act() -> None:
            if fault.kind == "heal":
                self._queued.life.heal(queued)
            elif queued.state in {"ACTIVE", "PROVISIONING"}:
                self._queued.life.suspend(queued, "SERVICE")

        self._context.scheduler.after(fault.after_s, act)


def _strikable(node: Node, fault: Fault) -> bool:
    if not fault.matches(node.subject) or (fault.worker or 0) >= len(node.machines):
        return False
    return fault.kind in SHOWN_ONLY or node.state in LOSABLE
