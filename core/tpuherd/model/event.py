"""Something that happened to a job."""

from __future__ import annotations

from dataclasses import dataclass

WORKLOAD_STARTED = "workload.started"
"""The kind of the event that tells that all workers have started the work of an attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of a job's history."""

    job_id: str
    attempt: int
    kind: str
    """For example `stage.started`, `stage.ended`, `stage.failed`, `job.ended`, `recovery`.

    A workload that failed is a stage that failed.
    """
    text: str
    """One sentence for people."""
    at: float
    """Seconds since the epoch."""
