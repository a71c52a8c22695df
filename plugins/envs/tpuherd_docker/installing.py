"""Having the image on every worker, and the program that runs commands in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import Environment
from tpuherd.envs import find, make, preflight
from tpuherd_docker.config import Container
from tpuherd_docker.recipes import built, pulled

if TYPE_CHECKING:
    from tpuherd import Allocation, Job
    from tpuherd.envs import Made, Recipe
    from tpuherd_docker.config import Build

RUN = "tpuherd-container"
"""The program in the environment's folder on the workers; see `container.sh`."""


def install(job: Job, allocation: Allocation) -> Environment:
    """Pull or build the image on all workers; nothing happens where it is.

    Raises:
        ConfigError: the password for the registry cannot be read, or there is nothing to build.
        PrepareError: there is no docker or podman, the image cannot be had, or workers have different ones.
    """
    docker = job.spec.section(Container)
    job.session.note(f"{docker.described}, on {len(allocation.workers)} workers at once")
    recipe, made = (
        _build(job, allocation, docker, docker.build) if docker.build else _pull(job, allocation, docker)
    )
    environment = Environment(
        kind="docker",
        key=recipe.key,
        command_prefix=(RUN,),
        end_command=(RUN, "--end"),
        path_entries=(f"$HOME/.tpuherd/{recipe.folder}/bin",),
        versions=made.versions,
    )
    preflight(job, allocation, environment, made)
    return environment


def _pull(job: Job, allocation: Allocation, docker: Container) -> tuple[Recipe, Made]:
    recipe = pulled(job, docker, allocation.incarnation)
    return recipe, make(job, allocation, recipe)


def _build(job: Job, allocation: Allocation, docker: Container, build: Build) -> tuple[Recipe, Made]:
    """The context is only sent if an image is missing."""
    from tpuherd_docker.building import send_context, take_context

    context = take_context(build, job.base_directory)
    recipe = built(job, docker, build, context, allocation.incarnation)
    found = find(job, allocation, recipe)
    if found is None:
        send_context(job, allocation, context)
    return recipe, found or make(job, allocation, recipe)
