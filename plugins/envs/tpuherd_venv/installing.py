"""Making the virtual environment on every worker."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd import Environment
from tpuherd.envs import Recipe, environment_key, make, preflight
from tpuherd_venv.config import VenvSection
from tpuherd_venv.requirements import requirements

if TYPE_CHECKING:
    from tpuherd import Allocation, Job


def install(job: Job, allocation: Allocation) -> Environment:
    """Run the install script on all workers; it does nothing where the environment is finished.

    Raises:
        PrepareError: it failed on some worker, or the workers ended up with different versions.
    """
    venv = job.spec.section(VenvSection)
    job.session.note(
        f"{venv.name}: Python {venv.python_version}, on {len(allocation.workers)} workers at once"
    )
    recipe = recipe_for(job, allocation)
    made = make(job, allocation, recipe)
    folder = f"$HOME/.tpuherd/{recipe.folder}"
    environment = Environment(
        kind="venv",
        key=recipe.key,
        variables={"VIRTUAL_ENV": folder},
        path_entries=(f"{folder}/bin",),
        versions=made.versions,
    )
    preflight(job, allocation, environment, made)
    return environment


def recipe_for(job: Job, allocation: Allocation) -> Recipe:
    """How it is made; the key is of all that goes in.

    Raises:
        ConfigError: a file that the section names cannot be read.
    """
    venv = job.spec.section(VenvSection)
    wanted = requirements(venv, job.base_directory, job.cloud.devices)
    key = environment_key(venv.python_version, wanted, allocation.incarnation)
    return Recipe(
        action="making the virtual environment",
        folder=f"venvs/{venv.name}-{key}",
        key=key,
        script=files("tpuherd_venv").joinpath("install.sh").read_text(),
        arguments=(venv.python_version,),
        stdin=wanted.encode(),
        timeout_s=venv.install_timeout_s,
    )
