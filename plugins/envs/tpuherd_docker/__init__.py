"""A container: `job.env_type: docker`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Allocation, ConfigSection, Environment, Job, PlanStep, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `docker` section."""
    from tpuherd_docker.config import Container

    return ConfigSection(
        name="docker", model=Container, description="The container in which the work runs: docker or podman."
    )


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say which image is pulled and how it is run."""
    from tpuherd_docker.config import Container

    docker = spec.section(Container)
    program = "docker or podman" if docker.runtime == "auto" else docker.runtime
    run = " ".join([program, "run", "--name tpuherd-JOB.ATTEMPT-wN", *docker.run_flags, docker.image])
    login = [f"{program} login {docker.login.registry}"] if docker.login else []
    pull = [f"{program} pull {docker.image} ({docker.pull})"] if docker.pull != "never" else []
    return [
        *[PlanStep(stage="prepare_env", where="every worker", action=action) for action in login + pull],
        PlanStep(stage="run_workload", where="every worker", action=run),
    ]


@hookimpl
def prepare_env(job: Job, allocation: Allocation) -> Environment | None:
    """Have the image on all workers at once, or find it there."""
    from tpuherd_docker.installing import install

    return install(job, allocation)
