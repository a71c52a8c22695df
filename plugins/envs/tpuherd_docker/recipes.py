"""How an image gets to a worker: pulled, or built there."""

from __future__ import annotations

import shlex
from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd.config.secrets import resolve
from tpuherd.envs import Recipe, environment_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tpuherd import Job
    from tpuherd_docker.building import Context
    from tpuherd_docker.config import Build, Container


def pulled(job: Job, docker: Container, incarnation: str) -> Recipe:
    """Pull the image, or find it there.

    Raises:
        ConfigError: the password for the registry cannot be read.
    """
    program = _program(docker, job.cloud.shared_directory)
    key = environment_key(docker.image, docker.runtime, program, incarnation)
    arguments = (docker.image, docker.runtime, docker.pull, *_account(docker))
    return _recipe(job, docker, "install.sh", key=key, arguments=arguments, program=program)


def built(job: Job, docker: Container, build: Build, context: Context, incarnation: str) -> Recipe:
    """Build the image of a context that is on the workers.

    Raises:
        ConfigError: the password for the registry cannot be read.
    """
    program = _program(docker, job.cloud.shared_directory)
    options = _options(build)
    inputs = (context.snapshot.id, context.dockerfile, options, docker.runtime, program)
    key = environment_key(*inputs, incarnation)
    where = (f".tpuherd/code/{context.snapshot.id}", context.dockerfile)
    arguments = (f"localhost/tpuherd-build:{key}", docker.runtime, *_account(docker), *where, *options)
    return _recipe(job, docker, "build.sh", key=key, arguments=arguments, program=program)


def password(docker: Container, base_directory: Path) -> str:
    """The password for the registry; empty: none is needed.

    Raises:
        ConfigError: it cannot be read.
    """
    return resolve(docker.login.password, base_directory, "docker.login.password") if docker.login else ""


def _recipe(
    job: Job, docker: Container, script: str, *, key: str, arguments: Sequence[str], program: str
) -> Recipe:
    return Recipe(
        action="preparing the container",
        folder=f"containers/{key}",
        key=key,
        script=_text("engine.sh") + _text(script),
        arguments=tuple(arguments),
        stdin=f"{password(docker, job.base_directory)}\n{program}".encode(),
        timeout_s=docker.pull_timeout_s,
    )


def _account(docker: Container) -> tuple[str, str]:
    return (docker.login.registry, docker.login.username) if docker.login else ("", "")


def _options(build: Build) -> tuple[str, ...]:
    target = ("--target", build.target) if build.target else ()
    arguments = (word for name, value in build.args.items() for word in ("--build-arg", f"{name}={value}"))
    return (*target, *arguments, *build.flags)


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
