"""What is known of a job's past: enough to account for its time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.model.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptPast:
    """One attempt; times are seconds since the epoch by the controller's clock."""

    number: int
    resume: bool = False
    """It went on from what earlier attempts had left; else it began from nothing."""
    failure: str = ""
    """Class of the failure that ended it; empty: none is known."""
    left: str = "rerun"
    """Why another one followed it without a failure: `rerun` or `paused`."""
    succeeded: bool = False
    """Its workload ended well on all workers."""
    saved_at: float | None = None
    """When its last checkpoint was reported; `None`: it reported none."""
    workload_ended_at: float | None = None
    """When the last of its processes ended; `None`: nobody knows."""
    usd_per_h: float | None = None
    """List price of its slices; `None`: not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPast:
    """One job until a moment."""

    job: str
    state: str
    """`live`, `succeeded`, `failed` or `cancelled`."""
    created_at: float
    until: float
    """The present, in seconds since the epoch."""
    events: tuple[Event, ...]
    """Oldest first."""
    attempts: tuple[AttemptPast, ...]
    """All of them, in the order of their numbers."""

    def attempt(self, number: int) -> AttemptPast:
        """The attempt of this number; one that is not known is like one that has just begun."""
        found = [one for one in self.attempts if one.number == number]
        return found[0] if found else AttemptPast(number=number)
