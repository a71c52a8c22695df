"""What a job in a container would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import PlanStep
from tpuherd_docker.building import context_folder
from tpuherd_docker.recipes import password

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_docker.config import Container


def steps(docker: Container, base_directory: Path) -> list[PlanStep]:
    """The commands on the workers.

    Raises:
        ConfigError: a password or a folder is not there.
    """
    password(docker, base_directory)  # a slice is not to be paid for only to find out that it is missing
    program = "docker or podman" if docker.runtime == "auto" else docker.runtime
    login = [f"{program} login {docker.login.registry}"] if docker.login else []
    image = docker.image or "the image"
    run = " ".join([program, "run", "--name tpuherd-JOB.ATTEMPT-wN", *docker.run_flags, image])
    return [
        *[
            PlanStep(stage="prepare_env", where="every worker", action=action)
            for action in login + _image(docker, program, base_directory)
        ],
        PlanStep(stage="run_workload", where="every worker", action=run),
    ]


def _image(docker: Container, program: str, base_directory: Path) -> list[str]:
    if docker.build is not None:
        folder = context_folder(docker.build, base_directory)
        return [f"{program} build --file {docker.build.dockerfile} {folder}"]
    return [f"{program} pull {docker.image} ({docker.pull})"] if docker.pull != "never" else []
