"""The `command` section of the job file."""

from __future__ import annotations

from pydantic import Field, field_validator

from tpuherd.config.sections import Section, wrong
from tpuherd.config.workers import Workers, indices


class CommandSection(Section):
    """A shell block, and who runs it."""

    cmd: str = Field(description="Bash text; it starts in the code's folder, in the job's environment.")
    workers: Workers = Field("all", description="Who runs it: all, a worker's number, or a list of numbers.")

    @property
    def indices(self) -> tuple[int, ...] | None:
        """The workers' indices; `None`: all."""
        return indices(self.workers)

    @field_validator("cmd")
    @classmethod
    def _not_empty(cls, value: str) -> str:
        if not value.strip():
            raise wrong("there is nothing to run")
        return value
