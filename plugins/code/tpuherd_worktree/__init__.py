"""The working tree as it is, uncommitted changes included: `code.sync: worktree`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Allocation, Job, PlanStep, SyncedCode, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.config.spec import JobSpec


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say what would be sent."""
    action = f"unpack a snapshot of {spec.code.path} (uncommitted files too, ignored ones not)"
    return [PlanStep(stage="sync_code", where="every worker", action=action)]


@hookimpl
def sync_code(job: Job, allocation: Allocation) -> SyncedCode | None:
    """Send the snapshot to the workers that do not have it."""
    from tpuherd_worktree.sending import send

    return send(job, allocation)
