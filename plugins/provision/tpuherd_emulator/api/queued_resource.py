"""One queued resource: what was asked for, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.api import errors, names
from tpuherd_emulator.api.catalog import accelerator_of
from tpuherd_emulator.api.messages import messages
from tpuherd_emulator.api.node import market_of as market_of_node
from tpuherd_emulator.api.node import need
from tpuherd_emulator.api.policy import Window
from tpuherd_emulator.faults.fault import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.accelerators import Accelerator
    from tpuherd_emulator.faults.limits import Need

_DATA = {
    "ACCEPTED": "accepted_data",
    "PROVISIONING": "provisioning_data",
    "FAILED": "failed_data",
    "DELETING": "deleting_data",
    "ACTIVE": "active_data",
    "SUSPENDING": "suspending_data",
    "SUSPENDED": "suspended_data",
}
"""State to the field of `QueuedResourceState` that goes with it."""


@dataclass(slots=True, kw_only=True)
class Queued:
    """A queued resource that exists; `message` is what the API shows."""

    message: Any
    wanted: dict[str, Any]
    """Its nodes: full name to the node message that was asked for."""
    walk: int = 0
    """Grows with every reset and deletion, so that transitions planned before know that they are void."""
    living: set[str] = field(default_factory=set)
    """Names of its nodes that exist."""
    window: Window = field(default_factory=Window)
    """When it may be served."""
    looks: int = 0
    """How often it was found that its zone has nothing for it."""
    refusal: errors.ApiError | None = None
    """Why one of its nodes could not be created."""
    held: Callable[[], None] | None = None
    """Goes on with a deletion that is stuck."""

    @property
    def name(self) -> str:
        """`projects/P/locations/Z/queuedResources/Q`."""
        return str(self.message.name)

    @property
    def id(self) -> str:
        """The last part of its name."""
        return self.name.rpartition("/")[2]

    @property
    def zone(self) -> str:
        """The zone in its name."""
        return names.zone_of(self.name)

    @property
    def accelerator(self) -> Accelerator:
        """That of its nodes."""
        return accelerator_of(next(iter(self.wanted.values())))

    @property
    def need(self) -> Need:
        """The chips of all of its nodes."""
        return need(self.zone, self.accelerator, market_of(self), len(self.wanted))

    @property
    def subject(self) -> Subject:
        """What faults look at."""
        return Subject(zone=self.zone, accelerator=self.accelerator.name, name=self.id)

    @property
    def state(self) -> str:
        """The name of its state, for example `ACTIVE`."""
        return str(messages.QueuedResourceState.State(self.message.state.state).name)

    def become(self, state: str, initiator: str = "SERVICE") -> None:
        """Change to another state.

        Args:
            state: Its name.
            initiator: `USER` or `SERVICE`: who caused it.
        """
        new = messages.QueuedResourceState(
            state=messages.QueuedResourceState.State[state],
            state_initiator=messages.QueuedResourceState.StateInitiator[initiator],
        )
        if state in _DATA:
            # An empty message that is set: which of them is set is what clients look at.
            getattr(type(new).pb(new), _DATA[state]).SetInParent()
        self.message.state = new

    def fail(self, error: errors.ApiError) -> None:
        """Become FAILED for a reason."""
        self.become("FAILED")
        self.message.state.failed_data.error = error.status


def market_of(queued: Queued) -> str:
    """The market that a queued resource asks for: by its tier, or as its nodes say."""
    if "spot" in queued.message:
        return "spot"
    if queued.message.reservation_name or queued.message.guaranteed.reserved:
        return "reserved"
    return market_of_node(next(iter(queued.wanted.values())).scheduling_config)


def wanted_nodes(request: Any, parent: names.Location) -> dict[str, Any]:
    """Return the nodes that a new queued resource asks for, by full name.

    Raises:
        ApiError: The specification contradicts itself.
    """
    wanted: dict[str, Any] = {}
    for spec in request.queued_resource.tpu.node_spec:
        if spec.parent and spec.parent != str(parent):
            raise errors.invalid(f"Invalid node_spec.parent '{spec.parent}'; it must be '{parent}'")
        for node_id in _ids(spec, request.queued_resource_id):
            wanted[f"{parent}/nodes/{node_id}"] = spec.node
    if not wanted:
        raise errors.invalid("Invalid queued_resource: tpu.node_spec is empty")
    return wanted


def _ids(spec: Any, queued_resource_id: str) -> list[str]:
    params = spec.multi_node_params  # `multislice_params` in v2
    if bool(spec.node_id) == bool(params.node_count):
        raise errors.invalid("Invalid node_spec: exactly one of node_id and multislice_params must be set")
    if spec.node_id:
        return [spec.node_id]
    if params.node_count < 2:
        raise errors.invalid("Invalid multislice_params.node_count: it must be greater than 1")
    prefix = params.node_id_prefix or queued_resource_id
    return [f"{prefix}-{index}" for index in range(params.node_count)]
