"""What a job would do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartSigns:
    """What a workload's log says about going on after a restart; `run --test-restart` looks for it."""

    restored: str
    """Regular expression of the line with which it says that it has restored, with the step in it."""
    kill_at: str = ""
    """A good moment to kill it, as `--kill-at` takes it; empty: any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One thing that would be asked of somebody."""

    stage: str
    """The stage it belongs to, for example `provision`."""
    where: str
    """Whom it is asked of: `TPU API`, `every worker`, `worker 0`, `this machine`."""
    action: str
    """The request or command, with secrets shown as references only."""
    restart: RestartSigns | None = None
    """For `run_workload`: how one sees that it goes on after a restart; `None`: it does not say."""
