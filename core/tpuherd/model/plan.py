"""What a job would do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One thing that would be asked of somebody."""

    stage: str
    """The stage it belongs to, for example `provision`."""
    where: str
    """Whom it is asked of: `TPU API`, `every worker`, `worker 0`, `this machine`."""
    action: str
    """The request or command, with secrets shown as references only."""
