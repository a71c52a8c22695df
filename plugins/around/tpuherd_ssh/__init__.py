"""Keys, settings and known hosts for `ssh` and `git` on the workers: the section `ssh`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd import Allocation, Job, PlanStep
    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `ssh` section, as core checks it."""
    from tpuherd.config.jobman import SshSection

    return ConfigSection(
        name="ssh", model=SshSection, description="SSH keys: ours, and those of the workers."
    )


@hookimpl
def plan(spec: JobSpec, base_directory: Path) -> Sequence[PlanStep]:
    """Say which keys are copied and which are not; one that cannot be read is refused."""
    from tpuherd_ssh.planning import steps

    return steps(spec, base_directory)


@hookimpl(tryfirst=True)
def equip_workers(job: Job, allocation: Allocation) -> None:
    """Have the files in `~/.ssh` of every worker; those of its user stay as they are."""
    from tpuherd_ssh.installing import install

    install(job, allocation)


@hookimpl(tryfirst=True)
def leave_workers(job: Job, allocation: Allocation) -> None:
    """Remove them."""
    from tpuherd_ssh.installing import remove

    remove(job, allocation)
