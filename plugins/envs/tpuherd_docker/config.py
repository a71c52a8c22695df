"""The `docker` section of the job file."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator

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


class Container(DockerSection):
    """The container in which the work runs."""

    image: str = Field(
        min_length=1, pattern=r"^[^-\s]\S*$", description="Image, best with a tag or digest; it has bash."
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
    pull_timeout_s: float = Field(3600.0, gt=0, description="Longest pull on one worker, in seconds.")

    @property
    def run_flags(self) -> tuple[str, ...]:
        """The flags, or those that a TPU needs."""
        return DEFAULT_FLAGS if self.flags is None else self.flags

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
