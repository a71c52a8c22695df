"""A commit of a git repository, fetched here or by the workers: `code.sync: git`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, PlanStep, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Job, SyncedCode
    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `git` section."""
    from tpuherd_git.config import GitSection

    return ConfigSection(
        name="git", model=GitSection, description="The repository that `code.sync: git` fetches."
    )


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say what would be fetched, and by whom."""
    from tpuherd_git.config import GitSection

    section = spec.section(GitSection)
    fetch = f"git fetch {section.url or section.path} {section.ref}"
    if section.fetch_on == "workers":
        return [PlanStep(stage="sync_code", where="every worker", action=fetch)]
    return [
        PlanStep(stage="sync_code", where="this machine", action=fetch),
        PlanStep(stage="sync_code", where="every worker", action="make a snapshot of that commit"),
    ]


@hookimpl
def sync_code(job: Job, allocation: Allocation) -> SyncedCode | None:
    """Bring the commit to all workers."""
    from tpuherd_git.config import GitSection

    section = job.spec.section(GitSection)
    if section.fetch_on == "workers":
        from tpuherd_git.on_workers import fetch_there

        return fetch_there(job, allocation, section)
    from tpuherd_git.here import fetch_and_send

    return fetch_and_send(job, allocation, section)
