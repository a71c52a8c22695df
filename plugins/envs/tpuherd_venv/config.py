"""The `venv` section of the job file."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import Field, field_validator, model_validator

from tpuherd.config.sections import Section, wrong

NEWEST, NIGHTLY = "newest", "nightly"


class VenvSection(Section):
    """A virtual environment: its Python, and what is installed into it."""

    name: str = Field(
        "venv", pattern=r"^[A-Za-z0-9._-]+$", description="Name of the environment's folder on the workers."
    )
    python: str = Field(
        "3.11", description="Python version, for example 3.11 or python3.11, of the worker's or of uv's own."
    )
    jax: str | None = Field(
        None,
        description="JAX for the devices of the cloud: newest, nightly, or a version such as 0.10.2.",
    )
    jax_nightly_index: str | None = Field(
        None, min_length=1, description="Package index of JAX's nightly builds, from JAX's installation page."
    )
    jax_find_links: str | None = Field(
        None, min_length=1, description="Page with links to libtpu, for versions of JAX that need one."
    )
    requirements_file: Path | None = Field(
        None, description="Requirements file on this machine, from the job file's folder."
    )
    project: Path | None = Field(
        None,
        description="A pyproject.toml, from the job file's folder: the project's dependencies are installed.",
    )
    extras: tuple[str, ...] = Field((), description="Optional dependencies of `project` to install as well.")
    packages: tuple[str, ...] = Field((), description="Requirements, for example orbax-checkpoint==0.12.8.")
    install_timeout_s: float = Field(1800.0, gt=0, description="Longest install on one worker, in seconds.")

    @property
    def python_version(self) -> str:
        """The version alone."""
        return self.python.removeprefix("python")

    @property
    def described(self) -> tuple[str, ...]:
        """What is installed, in few words."""
        extras = f"[{','.join(self.extras)}]" if self.extras else ""
        return (
            *([f"jax ({self.jax})"] if self.jax else []),
            *([f"-r {self.requirements_file}"] if self.requirements_file else []),
            *([f"-r {self.project}{extras}"] if self.project else []),
            *self.packages,
        )

    @field_validator("python")
    @classmethod
    def _is_version(cls, value: str) -> str:
        if not re.fullmatch(r"(python)?3\.\d+(\.\d+)?", value):
            raise wrong("expected a Python version such as 3.11")
        return value

    @field_validator("jax")
    @classmethod
    def _is_jax_version(cls, value: str | None) -> str | None:
        if value and value not in {NEWEST, NIGHTLY} and not re.fullmatch(r"\d+(\.\d+)+\w*", value):
            raise wrong(f"expected {NEWEST}, {NIGHTLY} or a version such as 0.10.2, in quotes")
        return value

    @field_validator("packages", "extras")
    @classmethod
    def _no_options(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for package in value:
            if package.startswith("-") or "\n" in package:
                raise wrong(f"{package!r} is no package; write options into a requirements file")
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> VenvSection:
        if self.jax == NIGHTLY and self.jax_nightly_index is None:
            raise wrong("jax: nightly needs jax_nightly_index, the address on JAX's installation page")
        if self.extras and self.project is None:
            raise wrong("extras need project, the pyproject.toml that has them")
        return self
