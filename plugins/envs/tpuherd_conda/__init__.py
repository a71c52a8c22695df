"""A conda environment: `job.env_type: conda`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, PlanStep, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd import Allocation, Environment, Job
    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `conda` section."""
    from tpuherd_conda.config import CondaEnvironment

    return ConfigSection(
        name="conda", model=CondaEnvironment, description="The conda environment in which the work runs."
    )


@hookimpl
def plan(spec: JobSpec, base_directory: Path) -> Sequence[PlanStep]:
    """Say what would be made; a file that describes no environment is refused."""
    from tpuherd_conda.config import CondaEnvironment
    from tpuherd_conda.description import description

    conda = spec.section(CondaEnvironment)
    description(conda, base_directory)
    tool = "micromamba, mamba or conda" if conda.tool == "auto" else conda.tool
    action = f"{tool}: make {conda.name} from {conda.config_file}"
    return [PlanStep(stage="prepare_env", where="every worker", action=action)]


@hookimpl
def prepare_env(job: Job, allocation: Allocation) -> Environment | None:
    """Make the environment on all workers at once, or find it there."""
    from tpuherd_conda.installing import install

    return install(job, allocation)
