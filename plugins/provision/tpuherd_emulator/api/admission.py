"""Whether a creation is let in: faults, quota and capacity."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api.node import check, market_of, need
from tpuherd_emulator.faults import refusals
from tpuherd_emulator.faults.fault import Subject
from tpuherd_emulator.faults.limits import region_of

if TYPE_CHECKING:
    from tpuherd.accelerators import Accelerator
    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.api.errors import ApiError
    from tpuherd_emulator.api.node import Node
    from tpuherd_emulator.faults.fault import Fault
    from tpuherd_emulator.faults.limits import Need, Pool

REFUSED = ("stockout", "reserved-capacity", "preempted-in-creation", "create-error")
"""Faults that a creation ends with; its call has been answered with an operation by then."""


class Admission:
    """Asked before anything is created. Everything here is called under the scheduler's lock."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def check_node(self, zone: str, request: Any) -> None:
        """Refuse a `CreateNodeRequest` for more than the project may have.

        Raises:
            ApiError: The quota is exhausted, or there is no such accelerator.
        """
        accelerator = check(request.node)
        subject = Subject(zone=zone, accelerator=accelerator.name, name=request.node_id, method="CreateNode")
        wanted = need(zone, accelerator, market_of(request.node.scheduling_config))
        self.check_quota(subject, accelerator, wanted)

    def check_quota(self, subject: Subject, accelerator: Accelerator, wanted: Need) -> None:
        """Refuse a request for more than the project may have.

        Raises:
            ApiError: The quota is exhausted, or a fault says so.
        """
        pod = accelerator.workers > 1
        fault = self._context.injector.take(subject, "quota")
        if fault is not None:
            raise _quota(fault, wanted.pool, pod=pod)
        short = self._context.quota.short(wanted)
        if short is not None:
            shown = replace(wanted.pool, place=short.place)
            raise refusals.quota(shown, self._context.quota.limits[short], pod=pod)

    def refusal(self, node: Node) -> ApiError | None:
        """The error that the creation of a node ends with; `None`: it has its chips from now on."""
        fault = self._context.injector.take(replace(node.subject, method="CreateNode"), *REFUSED)
        if fault is not None:
            return refusals.of(fault, node.zone, node.accelerator)
        return self.shortage(node)

    def queue_refusal(self, node: Node) -> ApiError | None:
        """The same for a node of a queued resource, which has waited for its chips until they were there."""
        fault = self._context.injector.take(replace(node.subject, method="CreateNode"), *REFUSED[1:])
        return refusals.of(fault, node.zone, node.accelerator) if fault else None

    def shortage(self, node: Node) -> ApiError | None:
        """Take the chips of a node; the error if there are too few."""
        if self._context.capacity.short(node.need):
            return refusals.stockout(node.zone)
        self._context.capacity.hold(node.name, node.need)
        return None


def _quota(fault: Fault, pool: Pool, *, pod: bool) -> ApiError:
    if fault.variant == "limit":
        return refusals.quota_limit(pool, 0)
    place = pool.place if fault.variant == "zone" else region_of(pool.place)
    return refusals.quota(replace(pool, place=place), 0, pod=pod)
