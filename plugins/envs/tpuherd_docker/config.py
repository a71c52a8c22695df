"""The `docker` section of the job file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator, model_validator

from tpuherd.config.jobman import DockerSection
from tpuherd.config.secrets import SecretRef
from tpuherd.config.sections import Section, wrong

DEFAULT_FLAGS = ("--net=host", "--privileged")
"""Without the host's network the workers do not find one another, nor the metadata server; without privileges
there are no TPU devices in the container."""


class Login(Section):
    """The account at a registry that only some may pull from."""

    registry: str = Field(min_length=1, pattern=r"^[^-].*$", description="Host of the registry.")
    username: str = Field(min_length=1, description="Name of the account.")
    password: SecretRef = Field(description="Its password or token: {env: NAME} or {file: PATH}.")


class Build(Section):
    """An image that the workers build."""

    dockerfile: Path = Field(Path("Dockerfile"), description="The Dockerfile, from the job file's folder.")
    context: str = Field(
        "",
        description="Folder that it is built of, from the job file's folder; default: that of the "
        "Dockerfile. What git ignores is not in it.",
    )
    target: str = Field("", pattern=r"^([^-\s]\S*)?$", description="Stage of the Dockerfile to stop at.")
    args: dict[str, str] = Field({}, description="Build arguments; no secrets, they stay in the image.")
    flags: tuple[str, ...] = Field((), description="More arguments of `docker build`.")

    @field_validator("args")
    @classmethod
    def _are_names(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                raise wrong(f"{name!r} is no name of a build argument")
        return value


class Container(DockerSection):
    """The container in which the work runs."""

    image: str = Field(
        "",
        pattern=r"^([^-\s]\S*)?$",
        description="Image, best with a tag or digest; it has bash. Either this or `build`.",
    )
    build: Build | None = Field(
        None, description="A Dockerfile of which every worker builds the image; then there is no `image`."
    )
    runtime: Literal["auto", "docker", "podman"] = Field(
        "auto", description="The program; auto: docker where it is there, else podman."
    )
    pull: Literal["always", "missing", "never"] = Field(
        "missing", description="When the image is pulled: always, if it is missing, or never."
    )
    login: Login | None = Field(None, description="Account at the image's registry, if it wants one.")
    flags: tuple[str, ...] | None = Field(
        None, description="More arguments of `docker run`; by default --net=host and --privileged."
    )
    pull_timeout_s: float = Field(
        3600.0, gt=0, description="Longest pull or build on one worker, in seconds."
    )

    @property
    def run_flags(self) -> tuple[str, ...]:
        """The flags, or those that a TPU needs."""
        return DEFAULT_FLAGS if self.flags is None else self.flags

    @property
    def described(self) -> str:
        """What it runs in, in few words."""
        return f"image of {self.build.dockerfile}" if self.build else f"image {self.image}"

    @model_validator(mode="after")
    def _one_of_two(self) -> Container:
        if bool(self.image) == (self.build is not None):
            raise wrong("expected either image, or build with a dockerfile")
        return self

    @field_validator("env_vars")
    @classmethod
    def _are_variables(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for variable in value:
            if not re.match(r"[A-Za-z_][A-Za-z0-9_]*=", variable):
                raise wrong(f"{variable!r} is no variable; write NAME=value")
        return value

    @field_validator("mount_dirs")
    @classmethod
    def _are_absolute(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for mount in value:
            if not re.fullmatch(r"(/|~/|\$HOME/)[^:]*(:/[^:]*(:[a-zA-Z,]+)?)?", mount):
                raise wrong(f"{mount!r} is no mount; write PATH or PATH:PATH_INSIDE, both from / or ~/")
        return value

    @field_validator("flags")
    @classmethod
    def _leave_ours_alone(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for flag in value or ():
            if re.match(r"(--name|--detach|-d)(=|$)", flag):
                raise wrong(f"{flag!r} is tpuherd's own: it names the container, and waits for it")
        return value
