"""Scripts that run on chosen workers before the workload: the section `setup`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Job, PlanStep
    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `setup` section."""
    from tpuherd_setup.config import SetupSection

    return ConfigSection(name="setup", model=SetupSection, description="Scripts that run before the work.")


@hookimpl(trylast=True)
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say which script runs where; a worker that the slices may not have is refused."""
    from tpuherd_setup.planning import steps

    return steps(spec)


@hookimpl(trylast=True)
def equip_workers(job: Job, allocation: Allocation) -> None:
    """Run the scripts that have not run yet, one after the other, each on its workers at once."""
    from tpuherd_setup.running import run_scripts

    run_scripts(job, allocation)
