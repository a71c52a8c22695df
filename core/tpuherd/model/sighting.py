"""What the controller heard of one worker while the workload ran."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Answer(Enum):
    """Yes, no, or nobody knows."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a workload says to be; times are seconds since the epoch by the controller's clock."""

    step: int | None = None
    """Steps, shards or whatever it counts."""
    total: int | None = None
    """How many there are to do."""
    at: float | None = None
    """When the step was first seen."""
    checkpoint_step: int | None = None
    """The newest step that is safe."""
    checkpoint_at: float | None = None
    alive: int | None = None
    """Changes while it waits for others, and comes no further for good reason."""
    alive_at: float | None = None
    """When that has changed last."""
    counts: dict[str, int] = field(default_factory=dict)
    """What else it has counted in this attempt, for example tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSighting:
    """What was heard of one worker; times are seconds since the epoch by the controller's clock."""

    worker: int
    heard_at: float | None = None
    """Its last sign of life; `None`: none yet in this process."""
    clock_ahead_s: float = 0.0
    """How far its clock is ahead of the controller's, as far as heartbeats tell; 0 if none came."""
    printed_at: float | None = None
    """When the last bytes of its log came; `None`: it printed nothing."""
    preemption_notice_at: float | None = None
    """When its metadata server announced a preemption; `None`: it did not, or nobody was there to hear."""
    maintenance: str = ""
    """What its metadata server said of maintenance, for example `PENDING SCHEDULED`; empty: nothing."""
    progress: Progress | None = None
    """`None`: the workload reports none."""
    device_holders: tuple[str, ...] = ()
    """Processes that held a TPU device when the workload had ended, one sentence each."""
    oom_kills: int | None = None
    """Processes that the worker's kernel killed for want of memory meanwhile; `None`: not known."""

    def silent_s(self, now: float) -> float | None:
        """Seconds since its last sign of life; `None`: there was none."""
        return None if self.heard_at is None else max(0.0, now - self.heard_at)
