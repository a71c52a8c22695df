"""What is shown of one job."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """One job at one moment; times are seconds since the epoch."""

    job: str
    owner: str
    attempt: int
    state: str
    """`live`, `succeeded`, `failed` or `cancelled`."""
    ended: bool = False
    """Nothing more happens by itself."""
    stage: str = ""
    """What goes on in a live job: a stage, or the recovery that is being carried out."""
    stage_since: float | None = None
    driver: str = ""
    """The process that drives it; empty: none does."""
    failure: str = ""
    """Class of its last failure."""
    step: int | None = None
    total: int | None = None
    checkpoint_step: int | None = None
    step_at: float | None = None
    """When the step was reported."""
    rate_per_s: float | None = None
    """Steps per second."""
    eta_s: float | None = None
    """Seconds until the last step."""
    cost_usd: float | None = None
    """So far, by list prices; `None`: not known."""
    last_line: str = ""
    """The newest line of any worker's log."""

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        return asdict(self)
