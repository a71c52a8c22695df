"""All that is known about an attempt. An answer is yes, no or *unknown*; unknown is never taken for no."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tpuherd.model.detector import Finding
from tpuherd.model.outcome import WorkloadExit
from tpuherd.model.sighting import Answer, WorkerSighting


class Presence(Enum):
    """A three-valued answer: *unknown* is never treated as *absent*."""

    PRESENT = "present"
    ABSENT = "absent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """What the control plane reports of one worker of a slice."""

    kind: str
    """The API's name, for example `HBM_OUT_OF_MEMORY`."""
    slice_worker: int | None = None
    """Its number in the slice; `None`: not said."""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueObservation:
    """What the control plane says about a queued resource."""

    queued_resource_id: str
    presence: Presence
    state: str = ""
    """The API's name of the state, for example `SUSPENDED`; empty if not known."""
    initiator: str = ""
    """`USER` or `SERVICE`: who brought it to this state; empty if not known."""
    detail: str = ""
    """Why it failed, or why the answer is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceObservation:
    """What the control plane says about one slice."""

    node_id: str
    presence: Presence
    state: str = ""
    """The API's name of the state, for example `READY` or `PREEMPTED`; empty if not known."""
    detail: str = ""
    """Health text, error, or why the answer is unknown."""
    health: str = ""
    """The API's name, for example `UNHEALTHY_MAINTENANCE`; empty: it is well, or nothing is known."""
    symptoms: tuple[Symptom, ...] = ()
    maintenance: str = ""
    """Upcoming or ongoing maintenance, in words; empty: none is known of."""
    queue: QueueObservation | None = None
    """The queued resource that it came through, if that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostObservation:
    """What a worker's agent says of its machine after a failure."""

    worker: int
    answered: Answer = Answer.UNKNOWN
    """Whether its agent answered just now; *unknown*: it was not asked."""
    device_holders: tuple[str, ...] = ()
    """Other processes that hold a TPU device or libtpu's lock file, one sentence each."""
    free_bytes: int | None = None
    """Left on the disk of the home folder; `None`: not known."""
    broken_mounts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """All that is known about a failed attempt; what is missing is not known."""

    stage: str
    """The stage that failed."""
    error: str
    """The error as text."""
    refusal: str = ""
    """Why the cloud did not deliver (`tpuherd.cloud.refusals.Refusal`); empty: it was not the cloud."""
    slices: tuple[SliceObservation, ...] = ()
    exit: WorkloadExit | None = None
    """How the workload ended, in order of time by `WorkerExit.happened_at`; its `sightings` are what the
    workers' agents said meanwhile: heartbeats, notices, progress."""
    hosts: tuple[HostObservation, ...] = ()
    findings: tuple[Finding, ...] = ()
    """The rows of the detector table that match what was seen, in the order in which it happened."""

    @property
    def sightings(self) -> tuple[WorkerSighting, ...]:
        """What the workers' agents said while the workload ran."""
        return self.exit.sightings if self.exit else ()

    @property
    def preemption_notices(self) -> tuple[int, ...]:
        """Workers whose metadata server announced a preemption."""
        return tuple(one.worker for one in self.sightings if one.preemption_notice_at is not None)

    @property
    def checkpoint_step(self) -> int | None:
        """The newest step that the workload reported as checkpointed."""
        known = [one.progress.checkpoint_step for one in self.sightings if one.progress]
        return max((step for step in known if step is not None), default=None)
