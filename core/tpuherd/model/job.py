"""A job as hooks see it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec
    from tpuherd.engine.session import Session
    from tpuherd.model.cloud import Cloud


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try at the workload on one allocation. Numbers only grow."""

    number: int
    """From 1."""
    zone: str | None = None
    """Set if a recovery moved the job away from the zone of its file."""
    resume: bool = False
    """True if the workload should go on from what earlier attempts left."""
    since: int = 1
    """The attempt that began from nothing, on whose work this one builds; its own number if it does so."""
    quarantined: frozenset[str] = frozenset()
    """Workers (`Worker.host_key_name`) that were to blame twice: whoever can choose takes others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job file and its life, under one id."""

    id: str
    owner: str
    spec: JobSpec
    directory: Path
    """The job's folder on this machine: logs, results."""
    base_directory: Path
    """The folder of the job file: relative paths in it start here."""
    attempt: Attempt
    cloud: Cloud
    session: Session
    """Live services: workers, events, cancellation. Never persisted."""

    @property
    def name(self) -> str:
        """The name given in the job file."""
        return self.spec.job.name

    @property
    def attempt_id(self) -> str:
        """The id under which agents start the workload exactly once."""
        return f"{self.id}.{self.attempt.number}"

    @property
    def attempt_directory(self) -> Path:
        """This attempt's folder on this machine."""
        return self.directory / f"attempt-{self.attempt.number}"
