"""What was seen, what that means, and what is done about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tpuherd.model.failure_class import FailureClass
from tpuherd.model.observation import Observation, Presence, SliceObservation
from tpuherd.model.scene import Scene

__all__ = ["FailureClass", "Observation", "Presence", "Scene", "SliceObservation"]
"""Those that have moved; the rest of this module is public by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What a failure means, with the evidence for it."""

    failure: FailureClass
    evidence: tuple[str, ...]
    """What was seen, one sentence each."""
    blamed_worker: int | None = None
    confidence: float = 0.5
    """From 0 to 1; the class counts that most opinions support best, see `tpuherd.observing.weighing`."""
    symptom: bool = False
    """True if what was seen may itself be caused by another failure: it counts only if none is known."""
    detector: str = ""
    """Id of the row of the detector table that decided; empty: none did."""
    action: str = ""
    """What that row says helps; policies decide for themselves."""
    checkpoint_step: int | None = None
    """The newest step that the workload reported as checkpointed; `None`: it reported none."""
    scene: Scene = field(default_factory=Scene)
    """Where and when; filled in by core after the plugins were asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Base of the decisions that a recovery policy can take; values, they do nothing by themselves."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait(Recovery):
    """Look again after a while, and do the stage that failed again, in the same attempt.

    A workload that has ended cannot go on: for it this means `RestartInPlace`.
    """

    delay_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartInPlace(Recovery):
    """Start the workload again on the same workers, in the same environment."""

    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanAndRestart(Recovery):
    """Repair the same workers as `tpuherd solve` does, prepare them again, then start the workload."""

    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceSlice(Recovery):
    """Give the slices back, get new ones as the job file asks for them, start again."""

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
    """One earlier failure of the job: what `recover` may learn from.

    A `Wait` does not end the attempt: several records may then have one number.
    """

    number: int
    diagnosis: Diagnosis
    recovery: str
    """Name of the recovery that was taken, for example `ReplaceSlice`."""
    started_at: float
    ended_at: float
