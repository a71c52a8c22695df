"""The `venv` section of the job file."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import Field, field_validator

from tpuherd.config.sections import Section, wrong


class VenvSection(Section):
    """A virtual environment: its Python, and what is installed into it."""

    name: str = Field(
        "venv", pattern=r"^[A-Za-z0-9._-]+$", description="Name of the environment's folder on the workers."
    )
    python: str = Field("3.11", description="Python version, for example 3.11 or python3.11; uv finds it.")
    requirements_file: Path | None = Field(
        None, description="Requirements file on this machine, from the job file's folder."
    )
    packages: tuple[str, ...] = Field((), description="Requirements, for example jax[tpu]==0.10.2.")
    install_timeout_s: float = Field(1800.0, gt=0, description="Longest install on one worker, in seconds.")

    @property
    def python_version(self) -> str:
        """The version alone."""
        return self.python.removeprefix("python")

    @field_validator("python")
    @classmethod
    def _is_version(cls, value: str) -> str:
        if not re.fullmatch(r"(python)?3\.\d+(\.\d+)?", value):
            raise wrong("expected a Python version such as 3.11")
        return value

    @field_validator("packages")
    @classmethod
    def _no_options(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for package in value:
            if package.startswith("-") or "\n" in package:
                raise wrong(f"{package!r} is no package; write options into a requirements file")
        return value
