"""The working tree as it is, uncommitted changes included: `code.sync: worktree`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import PlanStep, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Job, SyncedCode
    from tpuherd.config.spec import JobSpec


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say what would be sent."""
    action = f"make a snapshot of {spec.code.path} (uncommitted files too, ignored ones not) of the last one"
    return [PlanStep(stage="sync_code", where="every worker", action=action)]


@hookimpl
def sync_code(job: Job, allocation: Allocation) -> SyncedCode | None:
    """Send what the workers lack of the folder as it is now."""
    from tpuherd.code.sending import send
    from tpuherd.code.snapshot import take_snapshot

    root = (job.base_directory / job.spec.code.path).resolve()
    return send(job, allocation, take_snapshot(root), kind="worktree", root=root)
