"""The `command` section of the job file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from tpuherd.config.sections import Section, expecting, wrong

Index = Annotated[int, Field(ge=0)]
Workers = Annotated[
    Literal["all"] | Index | tuple[Index, ...], expecting('"all", a worker\'s number, or a list of numbers')
]


class CommandSection(Section):
    """A shell block, and who runs it."""

    cmd: str = Field(description="Bash text; it starts in the code's folder, in the job's environment.")
    workers: Workers = Field("all", description="Who runs it: all, a worker's number, or a list of numbers.")

    @property
    def indices(self) -> tuple[int, ...] | None:
        """The workers' indices; `None`: all."""
        if self.workers == "all":
            return None
        return self.workers if isinstance(self.workers, tuple) else (self.workers,)

    @field_validator("workers")
    @classmethod
    def _some_once(cls, value: object) -> object:
        if isinstance(value, tuple) and (not value or len(set(value)) != len(value)):
            raise wrong("name at least one worker, and each only once")
        return value

    @field_validator("cmd")
    @classmethod
    def _not_empty(cls, value: str) -> str:
        if not value.strip():
            raise wrong("there is nothing to run")
        return value
