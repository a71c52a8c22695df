"""Maintenance of a node: announced, then going on, then over."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.workers.actions import power_off, power_on

if TYPE_CHECKING:
    from tpuherd_emulator.api.doing import Doing
    from tpuherd_emulator.api.node import Node

DURATION_S = 1.0
"""Of a maintenance that was asked for through the API; the real one takes minutes."""


class Maintaining:
    """Maintains nodes. Everything here is called under the scheduler's lock."""

    def __init__(self, doing: Doing) -> None:
        self._doing = doing
        self._context = doing.context

    def announce(
        self,
        node: Node,
        notice_s: float,
        duration_s: float,
        kind: str = "UNSCHEDULED",
        worker: int | None = None,
    ) -> None:
        """Announce maintenance in API and metadata; after the notice workers go down for a while.

        Args:
            node: A READY node.
            notice_s: Until the window begins; 0: now.
            duration_s: From the beginning of the window to its end.
            kind: `SCHEDULED` or `UNSCHEDULED`.
            worker: The only one that goes down; `None`: all do.
        """
        node.message.upcoming_maintenance = self._window(notice_s, duration_s, kind)
        self._context.changed()
        self._doing.later(node, notice_s, lambda: self._begin(node, duration_s, worker))

    def _window(self, notice_s: float, duration_s: float, kind: str) -> Any:
        window = messages.UpcomingMaintenance
        start = self._context.clock.time() + notice_s
        return window(
            type_=window.MaintenanceType[kind],
            can_reschedule=False,
            window_start_time=_rfc3339(start),
            window_end_time=_rfc3339(start + duration_s),
            latest_window_start_time=_rfc3339(start),
            maintenance_status=window.MaintenanceStatus.PENDING,
        )

    def _begin(self, node: Node, duration_s: float, worker: int | None) -> None:
        if node.state != "READY":
            return
        ongoing = messages.UpcomingMaintenance.MaintenanceStatus.ONGOING
        node.message.upcoming_maintenance.maintenance_status = ongoing
        node.message.health = messages.Node.Health.UNHEALTHY_MAINTENANCE
        self._context.changed()

        def wait() -> None:
            self._doing.later(node, duration_s, lambda: self._boot(node, worker))

        self._doing.work(node, power_off, wait, worker)

    def _boot(self, node: Node, worker: int | None) -> None:
        if node.state == "READY":
            self._doing.work(node, power_on, lambda: self._end(node), worker)

    def _end(self, node: Node) -> None:
        type(node.message).pb(node.message).ClearField("upcoming_maintenance")
        if node.state == "READY":
            node.become("READY")
        self._context.changed()


def _rfc3339(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
