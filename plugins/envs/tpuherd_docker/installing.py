"""Having the image on every worker, and the program that runs commands in it."""

from __future__ import annotations

import shlex
from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd import Environment
from tpuherd.config.secrets import resolve
from tpuherd.envs import Recipe, environment_key, make, preflight
from tpuherd_docker.config import Container

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd import Allocation, Job

RUN = "tpuherd-container"
"""The program in the environment's folder on the workers; see `container.sh`."""


def install(job: Job, allocation: Allocation) -> Environment:
    """Pull the image on all workers; nothing happens where it is.

    Raises:
        ConfigError: the password for the registry cannot be read.
        PrepareError: there is no docker or podman, the image cannot be had, or workers have different ones.
    """
    docker = job.spec.section(Container)
    job.session.note(f"image {docker.image}, on {len(allocation.workers)} workers at once")
    recipe = _recipe(job, docker, allocation.incarnation)
    made = make(job, allocation, recipe)
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


def _recipe(job: Job, docker: Container, incarnation: str) -> Recipe:
    program = _program(docker, job.cloud.shared_directory)
    key = environment_key(docker.image, docker.runtime, program, incarnation)
    login = (docker.login.registry, docker.login.username) if docker.login else ("", "")
    return Recipe(
        action="preparing the container",
        folder=f"containers/{key}",
        key=key,
        script=_text("install.sh"),
        arguments=(docker.image, docker.runtime, docker.pull, *login),
        stdin=f"{_password(job, docker)}\n{program}".encode(),
        timeout_s=docker.pull_timeout_s,
    )


def _password(job: Job, docker: Container) -> str:
    if docker.login is None:
        return ""
    return resolve(docker.login.password, job.base_directory, "docker.login.password")


def _program(docker: Container, shared: str | None) -> str:
    """The program for the workers, with the settings of the job file as its first lines."""
    shared_too = (shared,) if shared else ()
    settings = [
        f"flags=({shlex.join(docker.run_flags)})",
        f"mounts=({' '.join(map(_mount, (*docker.mount_dirs, *shared_too)))})",
        f"workdir={shlex.quote(docker.workdir or '')}",
        *_exports(docker.env_vars),
    ]
    return "\n".join([*settings, _text("container.sh")])


def _mount(mount: str) -> str:
    """A word `PATH:PATH_INSIDE`, in which the home folder is that of the worker."""
    for home in ("~/", "$HOME/"):
        if mount.startswith(home):
            rest = shlex.quote(mount.removeprefix(home))
            return f'"$HOME"/{rest}' + ("" if ":" in mount else f':"$HOME"/{rest}')
    return shlex.quote(mount if ":" in mount else f"{mount}:{mount}")


def _exports(variables: Iterable[str]) -> list[str]:
    pairs = (variable.partition("=") for variable in variables)
    return [f"export {name}={shlex.quote(value)}" for name, _, value in pairs]


def _text(name: str) -> str:
    return files("tpuherd_docker").joinpath(name).read_text()
