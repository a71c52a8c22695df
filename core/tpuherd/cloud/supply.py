"""What the two ways of the API to get slices have in common: one protocol, and the values in it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tpuherd.cloud.placement import Placement
    from tpuherd.cloud.target import Target


class Phase(Enum):
    """What is waited for; each has a deadline of its own in the `tpu` section."""

    ACCEPTED = "accepted"
    """The API shows what was asked for."""
    QUEUE = "queue"
    """There is capacity."""
    ACTIVE = "active"
    """The API says that the slices are ready."""
    REACHABLE = "connect"
    """The workers answer."""

    @property
    def setting(self) -> str:
        """Its key in the `tpu` section."""
        return f"{self.value}_timeout_s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a request has come."""

    phase: Phase
    """What is waited for now."""
    state: str
    """The API's name of the state; empty if it does not show the resource yet."""
    nodes: tuple[Any, ...] = ()
    """All nodes of the request, once the addresses of all their workers are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A resource that exists."""

    noun: str
    """What the API calls it."""
    target: Target
    state: str
    ours: bool
    """True if this job made it, as its labels say."""
    attempt: str = ""
    """The attempt in its labels."""

    @property
    def placement(self) -> Placement:
        """Where it is, and of which type."""
        return self.target.placement

    @property
    def leaving(self) -> bool:
        """True if it is being deleted."""
        return self.state == "DELETING"


class Request(Protocol):
    """Something that was asked for, now or by an earlier process."""

    target: Target
    queued_resource_id: str | None
    """Where the slices come through the queue: `Allocation.queued_resource_id`."""

    def look(self) -> Progress:
        """Read how far it is.

        Raises:
            CloudRefused: it will not be delivered, and what that means.
            ProvisionError: somebody has deleted it: nothing that another try should undo.
        """


class Supply(Protocol):
    """One way of the API to get slices, for one job. All calls are safe to repeat."""

    noun: str
    """What the API calls the resource, for messages."""
    ranks: tuple[str, ...]
    """States of resources that are worth keeping, best first."""

    def listed(self, zone: str) -> list[Found]:
        """All of this job's resources in a zone: labels tell, names do not matter.

        Raises:
            CloudRefused: the answer is not known.
        """

    def find(self, target: Target) -> Found | None:
        """Whatever has a name that the target needs; `None` if there is nothing.

        Raises:
            CloudRefused: the answer is not known.
        """

    def ask(self, target: Target) -> Request:
        """Ask for it.

        Raises:
            google.api_core.exceptions.AlreadyExists: the name is taken.
            CloudRefused: the API refuses.
        """

    def adopt(self, found: Found) -> Request:
        """Go on with what is there."""

    def withdraw(self, target: Target) -> None:
        """Begin to delete it, if it is this job's; does not wait.

        Raises:
            CloudRefused: it could not be asked for, or was refused.
        """
