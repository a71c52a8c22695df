"""What was seen, what that means, and what is done about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tpuherd.model.outcome import WorkloadExit


class Presence(Enum):
    """A three-valued answer: *unknown* is never treated as *absent*."""

    PRESENT = "present"
    ABSENT = "absent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceObservation:
    """What the control plane says about one slice."""

    node_id: str
    presence: Presence
    state: str = ""
    """The API's name of the state, for example `READY` or `PREEMPTED`; empty if not known."""
    detail: str = ""
    """Health text, error, or why the answer is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """All that is known about a failed attempt."""

    stage: str
    """The stage that failed."""
    error: str
    """The error as text."""
    slices: tuple[SliceObservation, ...] = ()
    exit: WorkloadExit | None = None
    preemption_notices: tuple[int, ...] = ()
    """Workers whose metadata server announced a preemption."""


class FailureClass(Enum):
    """What kind of failure it was; this decides, not the exit code."""

    PREEMPTED = "preempted"
    MAINTENANCE = "maintenance"
    HOST_FAULT = "host-fault"
    DIRTY_DEVICE = "dirty-device"
    NETWORK = "network"
    HOST_OUT_OF_MEMORY = "host-out-of-memory"
    DEVICE_OUT_OF_MEMORY = "device-out-of-memory"
    USER_ERROR = "user-error"
    STOCKOUT = "stockout"
    QUOTA = "quota"
    AUTHORIZATION = "authorization"
    HUNG = "hung"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What a failure means, with the evidence for it."""

    failure: FailureClass
    evidence: tuple[str, ...]
    """What was seen, one sentence each."""
    blamed_worker: int | None = None
    confidence: float = 0.5
    """From 0 to 1; of several opinions the most confident one counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Base of the decisions that a recovery policy can take; values, they do nothing by themselves."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait(Recovery):
    """Look again after a while, and go on with the same attempt's stage."""

    delay_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartInPlace(Recovery):
    """Start the workload again on the same workers, in the same environment."""

    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanAndRestart(Recovery):
    """Prepare the same workers again from the environment on, then start the workload."""

    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceSlice(Recovery):
    """Give the slices back, get new ones of the same kind in the same zone, start again."""

    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveZone(Recovery):
    """Give the slices back and get new ones in another zone."""

    zone: str
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunFromScratch(Recovery):
    """A new attempt that does not resume: no checkpoint and no state of earlier attempts is passed on."""

    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp(Recovery):
    """The job has failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRecord:
    """One earlier attempt of the job: what `recover` may learn from."""

    number: int
    diagnosis: Diagnosis
    recovery: str
    """Name of the recovery that was taken, for example `ReplaceSlice`."""
    started_at: float
    ended_at: float
