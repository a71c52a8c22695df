"""The `conda` section of the job file."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - pydantic reads it
from typing import Literal

from pydantic import Field, model_validator

from tpuherd.config.jobman import CondaSection
from tpuherd.config.sections import wrong


class CondaEnvironment(CondaSection):
    """A conda environment, and what makes it."""

    name: str = Field(
        min_length=1, pattern=r"^[A-Za-z0-9._-]+$", description="Name of the environment's folder on workers."
    )
    config_file: Path = Field(
        description="The environment's file, mostly environment.yml, from the job file's folder."
    )
    tool: Literal["auto", "micromamba", "mamba", "conda"] = Field(
        "auto", description="What makes it; auto: the first of micromamba, mamba and conda that is there."
    )
    install_from: str | None = Field(
        None,
        min_length=1,
        description="Where workers without the tool get it: a URL, or a path on the workers, of an installer "
        "(*.sh) or of a micromamba program.",
    )
    install_sha256: str | None = Field(
        None, pattern=r"^[0-9a-f]{64}$", description="SHA-256 of what `install_from` names."
    )
    install_timeout_s: float = Field(3600.0, gt=0, description="Longest install on one worker, in seconds.")

    @model_validator(mode="after")
    def _digest_of_something(self) -> CondaEnvironment:
        if self.install_sha256 and not self.install_from:
            raise wrong("install_sha256 is of what install_from names, and there is no install_from")
        return self
