"""Making the conda environment on every worker."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd import Environment
from tpuherd.envs import Recipe, environment_key, make, preflight
from tpuherd_conda.config import CondaEnvironment
from tpuherd_conda.description import description

if TYPE_CHECKING:
    from tpuherd import Allocation, Job

RUN = "tpuherd-conda-run"
"""The program in the environment's folder that activates it and becomes the command."""


def install(job: Job, allocation: Allocation) -> Environment:
    """Run the install script on all workers; it does nothing where the environment is finished.

    Raises:
        ConfigError: the environment's file cannot be read.
        PrepareError: it failed on some worker, or the workers ended up with different versions.
    """
    conda = job.spec.section(CondaEnvironment)
    job.session.note(f"conda: {conda.name}, on {len(allocation.workers)} workers at once")
    recipe = _recipe(conda, description(conda, job.base_directory), allocation.incarnation)
    made = make(job, allocation, recipe)
    folder = f"$HOME/.tpuherd/{recipe.folder}"
    environment = Environment(
        kind="conda",
        key=recipe.key,
        command_prefix=(RUN,),
        variables={"CONDA_PREFIX": folder, "CONDA_DEFAULT_ENV": conda.name},
        path_entries=(f"{folder}/bin", f"{folder}/.tpuherd"),
        versions=made.versions,
    )
    preflight(job, allocation, environment, made)
    return environment


def _recipe(conda: CondaEnvironment, content: str, incarnation: str) -> Recipe:
    inputs = (conda.tool, conda.install_from, conda.install_sha256, content)
    key = environment_key(*inputs, incarnation)
    return Recipe(
        action="making the conda environment",
        folder=f"conda/{conda.name}-{key}",
        key=key,
        script=files("tpuherd_conda").joinpath("install.sh").read_text().replace("@RUN@", _run()),
        arguments=(conda.tool, conda.install_from or "", conda.install_sha256 or ""),
        stdin=content.encode(),
        timeout_s=conda.install_timeout_s,
    )


def _run() -> str:
    return files("tpuherd_conda").joinpath("run.sh").read_text()
