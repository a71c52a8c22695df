"""Buckets as folders of the workers: the section `gcsfuse`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Job, PlanStep
    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `gcsfuse` section."""
    from tpuherd_gcsfuse.config import Buckets

    return ConfigSection(name="gcsfuse", model=Buckets, description="Buckets as folders of the workers.")


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say what is mounted where, and how."""
    from tpuherd_gcsfuse.planning import steps

    return steps(spec)


@hookimpl
def equip_workers(job: Job, allocation: Allocation) -> None:
    """Have the buckets mounted on every worker; one that does not answer any more is mounted again."""
    from tpuherd_gcsfuse.mounting import mount

    mount(job, allocation)


@hookimpl
def leave_workers(job: Job, allocation: Allocation) -> None:
    """Unmount them."""
    from tpuherd_gcsfuse.mounting import unmount

    unmount(job, allocation)
