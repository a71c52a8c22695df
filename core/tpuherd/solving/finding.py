"""What is found on workers, and what is done about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Verdict(Enum):
    """How a check came out."""

    OK = "ok"
    REPAIRED = "repaired"
    REPAIRABLE = "repairable"
    """A repair is safe, and was not asked for."""
    PROBLEM = "problem"
    """tpuherd does nothing about it; the text says what people can do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One check on one worker."""

    check: str
    """For example `disk`."""
    worker: int
    verdict: Verdict
    text: str
    repair: tuple[str, ...] = ()
    """The command line of the agent that repairs it; empty: nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What one worker said about itself."""

    worker: int
    health: dict[str, Any]
    """See `tpuherd_agent.health.health`."""
    clock_ahead_s: float
    """How much its clock is ahead of ours; negative: behind."""
    clock_error_s: float
    """How exact that is: half the time that the answer took."""
    code_there: bool | None
    """Whether its code folder is there; `None` if the job has none."""
    packages: str
    """Versions of jax, jaxlib and libtpu in the job's environment, as one text."""
