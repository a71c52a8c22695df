"""A virtual environment made by uv as environment: `job.env_type: venv`."""

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
    """The `venv` section."""
    from tpuherd_venv.config import VenvSection

    return ConfigSection(name="venv", model=VenvSection, description="A virtual environment made by uv.")


@hookimpl
def plan(spec: JobSpec, base_directory: Path) -> Sequence[PlanStep]:
    """Say what would be installed; a file or an extra that is not there is refused."""
    from tpuherd_venv.config import VenvSection
    from tpuherd_venv.requirements import requirements

    venv = spec.section(VenvSection)
    requirements(venv, base_directory, devices="tpu")  # for what it refuses: the cloud is not known yet
    return [
        PlanStep(stage="prepare_env", where="every worker", action=f"uv venv --python {venv.python_version}"),
        PlanStep(
            stage="prepare_env",
            where="every worker",
            action=f"uv pip install {' '.join(venv.described)}".strip(),
        ),
    ]


@hookimpl
def prepare_env(job: Job, allocation: Allocation) -> Environment | None:
    """Make the environment on all workers at once, or find it there."""
    from tpuherd_venv.installing import install

    return install(job, allocation)
