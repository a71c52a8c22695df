"""Rows of the store as values."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from sqlalchemy import Row

T = TypeVar("T")


class JobState(Enum):
    """How far a job is."""

    LIVE = "live"
    """Not ended: a controller drives it, or it waits for the next command."""
    PAUSED = "paused"
    """Not ended: its workload was stopped by `tpuherd pause`, and `tpuherd resume` goes on with it."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """True once nothing more will happen by itself."""
        return self not in {JobState.LIVE, JobState.PAUSED}


class StageState(Enum):
    """How far a stage is."""

    STARTED = "started"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """A job as the store has it."""

    id: str
    name: str
    owner: str
    file: str
    base_directory: str
    text: str
    """The job file as it was when the job was made."""
    overrides: list[str]
    digest: str
    directory: str
    keep: bool
    """Keep the slices when the job ends."""
    state: JobState
    wanted: str
    """What users asked for through the store: one of `store.wishes`."""
    attempt: int
    """Number of the newest attempt."""
    created_at: float
    ended_at: float | None
    exit_code: int | None
    message: str
    """Why it ended, one sentence or a few lines."""
    ttl_s: float | None = None
    """How long it may hold slices, from when they were asked for."""
    expires_at: float | None = None
    """When that is over; `None` while nothing was asked for, or without a limit."""
    idle_timeout_s: float | None = None
    """How long it may hold slices that nothing uses."""
    used_at: float | None = None
    """When something used its slices last."""
    problem: str | None = None
    """Why no supervisor can go on with it; `None`: nothing is known to keep one from it."""
    acknowledged_at: float | None = None
    """When a user said that they have seen how it failed, or its problem."""
    acknowledgement: str | None = None
    """What they said about it."""
    fleet: str | None = None
    """Id of the fleet that it is a member of; `None`: of none."""

    @property
    def attention(self) -> str:
        """Why a user should look at it; empty if there is no reason, or they have done that."""
        if self.acknowledged_at is not None:
            return ""
        if self.state.ended:
            return "failed" if self.state is JobState.FAILED else ""
        return self.problem or ""

    @property
    def concluded(self) -> bool:
        """True from when it is known how the job ends; while it is live, its slices are being given back."""
        return self.exit_code is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRecord:
    """One stage of one attempt as the store has it."""

    job_id: str
    attempt: int
    stage: str
    state: StageState
    started_at: float
    ended_at: float | None
    result: str | None
    """The stage's value as JSON."""
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One attempt as the store has it."""

    job_id: str
    number: int
    zone: str | None
    resume: bool
    started_at: float
    ended_at: float | None
    diagnosis: str | None
    recovery: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryRow:
    """One decision about a failure as the store has it."""

    job_id: str
    number: int
    """From 1, through all attempts of the job."""
    attempt: int
    """The attempt that had failed."""
    at: float
    """When it was taken, in seconds since the epoch."""
    diagnosis: str
    """As JSON."""
    recovery: str
    """The decision as JSON."""
    done_at: float | None
    """When it was carried out; `None`: not yet, or there is nothing to carry out."""


def to_record(kind: type[T], row: Row[Any]) -> T:
    """Turn a database row into a value; columns that became enums are converted."""
    values = {field.name: row._mapping[field.name] for field in fields(kind)}  # type: ignore[arg-type]  # noqa: SLF001 - SQLAlchemy's public name
    enums = {JobRecord: JobState, StageRecord: StageState}
    if kind in enums:
        values["state"] = enums[kind](values["state"])
    return kind(**values)
