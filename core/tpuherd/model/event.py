"""Something that happened to a job."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of a job's history."""

    job_id: str
    attempt: int
    kind: str
    """For example `stage.started`, `stage.ended`, `job.ended`, `recovery`."""
    text: str
    """One sentence for people."""
    at: float
    """Seconds since the epoch."""
