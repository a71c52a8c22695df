"""The `setup` section of the job file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from tpuherd.config.sections import Section, wrong
from tpuherd.config.workers import Workers


class Script(Section):
    """One script, and who runs it."""

    run: str = Field(
        description="Bash text; it starts in the home folder, on the host, with the variables of `env`."
    )
    name: str = Field("", description="What messages call it; by default its number.")
    workers: Workers = Field("all", description="Who runs it: all, a worker's number, or a list of numbers.")
    once: Literal["attempt", "vm"] = Field(
        "attempt", description="How often it runs on a worker: once in every attempt, or once in a VM's life."
    )
    timeout_s: float = Field(600.0, gt=0, description="Longest run on one worker, in seconds.")

    @field_validator("run")
    @classmethod
    def _not_empty(cls, value: str) -> str:
        if not value.strip():
            raise wrong("there is nothing to run")
        return value


class SetupSection(Section):
    """Scripts that run before the work, in this order."""

    scripts: tuple[Script, ...] = Field(
        min_length=1,
        description="They run one after the other; the next begins when one has ended on all its workers.",
    )

    def name_of(self, number: int) -> str:
        """What messages call a script."""
        return self.scripts[number].name or f"scripts[{number}]"
