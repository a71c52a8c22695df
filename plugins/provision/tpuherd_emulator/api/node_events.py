"""What happens to nodes without anybody asking for it: preemption, maintenance, repairs, bad health."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd_emulator.api.courses import release
from tpuherd_emulator.api.maintaining import DURATION_S, Maintaining
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.workers.actions import power_off, power_on, recover, wipe

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.doing import Doing
    from tpuherd_emulator.api.node import Node
    from tpuherd_emulator.faults.fault import Fault
    from tpuherd_emulator.workers.machine import Machine

LOSABLE = frozenset({"CREATING", "READY", "STARTING", "RESTARTING", "REIMAGING", "REPAIRING"})
"""States of a node that has VMs which Google could take."""


class NodeEvents:
    """Changes that the service makes. Everything here is called under the scheduler's lock."""

    def __init__(self, doing: Doing) -> None:
        self._doing = doing
        self._context = doing.context
        self.maintaining = Maintaining(doing)
        self.lost: Callable[[Node], None] = lambda _: None
        """Called with each node that has been preempted or terminated."""

    def happen(self, node: Node, fault: Fault) -> None:
        """Let a fault happen to a node."""
        acts: dict[str, Callable[[], None]] = {
            "preempt": lambda: self.preempt(node, fault.notice_s),
            "terminated": lambda: self.terminate(node),
            "maintenance": lambda: self.maintaining.announce(
                node, fault.notice_s, fault.delay_s, fault.variant, fault.worker
            ),
            "repairing": lambda: self.repair(node, fault.delay_s, fault.variant),
            "restarting": lambda: self.restart(node, fault.delay_s),
            "reimaging": lambda: self.reimage(node, fault.delay_s),
            "hidden": lambda: self.become(node, fault.variant),
            "unhealthy": lambda: self.sicken(node, fault.variant, fault.text),
            "symptom": lambda: self.report(node, fault.variant, fault.worker or 0, fault.text),
            "heal": lambda: self.heal(node),
        }
        acts[fault.kind]()

    def maintain_now(self, node: Node, worker: int | None) -> None:
        """Begin maintenance that was asked for: of one worker, or of all."""
        self.maintaining.announce(node, 0.0, DURATION_S, worker=worker)

    def preempt(self, node: Node, notice_s: float) -> None:
        """Take a node back: its metadata says so now, its workers lose power after the notice."""
        node.preempted = True
        self._context.changed()
        self._doing.later(node, notice_s, lambda: self._take(node, "PREEMPTED"))

    def terminate(self, node: Node) -> None:
        """End a node for good: maintenance, or the end of a preemptible one's life."""
        self._take(node, "TERMINATED")

    def repair(self, node: Node, duration_s: float, goal: str = "READY") -> None:
        """Take the workers down, and boot them again unless the repair fails."""
        self._cycle(node, "REPAIRING", goal, duration_s, power_off)

    def restart(self, node: Node, duration_s: float) -> None:
        """Boot all workers anew; their disks stay."""
        self._cycle(node, "RESTARTING", "READY", duration_s, power_off)

    def reimage(self, node: Node, duration_s: float) -> None:
        """Boot all workers anew with empty disks."""
        self._cycle(node, "REIMAGING", "READY", duration_s, wipe)

    def become(self, node: Node, state: str) -> None:
        """Show another state, and do nothing else."""
        node.become(state)
        self._context.changed()

    def sicken(self, node: Node, health: str, text: str) -> None:
        """Report bad health; nothing else changes."""
        node.message.health = messages.Node.Health[health]
        node.message.health_description = text
        self._context.changed()

    def report(self, node: Node, symptom: str, worker: int, text: str) -> None:
        """Add a symptom of one worker."""
        kind = messages.Symptom.SymptomType[symptom]
        found = messages.Symptom(symptom_type=kind, details=text, worker_id=str(worker))
        self._context.clock.stamp(type(found).pb(found).create_time)
        node.message.symptoms.append(found)
        self._context.changed()

    def heal(self, node: Node) -> None:
        """Undo what can be undone: what is stuck goes on, workers answer, the node is READY and HEALTHY."""
        release(node)
        node.message.symptoms = []
        node.message.health_description = ""

        def recovered(error: BaseException | None) -> None:
            if error is None and self._doing.is_there(node) and node.state not in {"CREATING", "DELETING"}:
                self.become(node, "READY")

        if node.state not in {"CREATING", "DELETING", "PREEMPTED", "TERMINATED", "STOPPED"}:
            self._context.when_done(self._context.fleet.each(recover, node.machines), recovered)

    def _take(self, node: Node, state: str) -> None:
        """Pull the plug; the node stays listed, and holds quota, until somebody deletes it."""
        if node.state not in LOSABLE:
            return
        node.preempted = node.preempted or state == "PREEMPTED"
        self._context.capacity.free(node.name)
        self._doing.work(node, power_off, lambda: self._taken(node, state))

    def _taken(self, node: Node, state: str) -> None:
        if node.state in LOSABLE:
            node.become(state)
            release(node)
            self._context.changed()
            self.lost(node)

    def _cycle(
        self, node: Node, way: str, goal: str, duration_s: float, down: Callable[[Machine], None]
    ) -> None:
        if node.state != "READY":
            return
        self.become(node, way)

        def up() -> None:
            if node.state != way:
                return
            if goal == "READY":
                self._doing.work(node, power_on, lambda: self._arrive(node, way, goal))
            else:
                self._arrive(node, way, goal)

        self._doing.work(node, down, lambda: self._doing.later(node, duration_s, up))

    def _arrive(self, node: Node, way: str, goal: str) -> None:
        if node.state == way:
            self.become(node, goal)
