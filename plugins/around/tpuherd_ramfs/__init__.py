"""A folder in the memory of every worker, for local checkpoints: the section `ramfs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Job, PlanStep
    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `ramfs` section."""
    from tpuherd_ramfs.config import RamfsSection

    return ConfigSection(
        name="ramfs", model=RamfsSection, description="A folder in memory for local checkpoints."
    )


@hookimpl(tryfirst=True)
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say what is mounted; more than the machines have is refused."""
    from tpuherd_ramfs.planning import steps

    return steps(spec)


@hookimpl(tryfirst=True)
def equip_workers(job: Job, allocation: Allocation) -> None:
    """Have the folder on every worker, of its size, and empty if this attempt is to find it so."""
    from tpuherd_ramfs.mounting import mount

    mount(job, allocation)


@hookimpl(tryfirst=True)
def leave_workers(job: Job, allocation: Allocation) -> None:
    """Unmount it: what was in it is gone."""
    from tpuherd_ramfs.mounting import unmount

    unmount(job, allocation)
