"""A container: `job.env_type: docker`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd import Allocation, Environment, Job, PlanStep
    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `docker` section."""
    from tpuherd_docker.config import Container

    return ConfigSection(
        name="docker", model=Container, description="The container in which the work runs: docker or podman."
    )


@hookimpl
def plan(spec: JobSpec, base_directory: Path) -> Sequence[PlanStep]:
    """Say which image is pulled or built, and how it is run; what it needs has to be on this machine."""
    from tpuherd_docker.config import Container
    from tpuherd_docker.planning import steps

    return steps(spec.section(Container), base_directory)


@hookimpl
def prepare_env(job: Job, allocation: Allocation) -> Environment | None:
    """Have the image on all workers at once, or find it there."""
    from tpuherd_docker.installing import install

    return install(job, allocation)
