"""The `notify` section of the job file."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from tpuherd.config.choices import nearest
from tpuherd.config.secrets import SecretRef
from tpuherd.config.sections import Section, wrong

KINDS = (
    "stage.started",
    "stage.ended",
    "stage.failed",
    "workload.started",
    "workload.stopping",
    "workload.ended",
    "diagnosis",
    "recovery",
    "job.paused",
    "job.ended",
    "job.succeeded",
    "job.failed",
    "job.cancelled",
    "job.given-back",
)
"""What can be named; other plugins' kinds of events are named with a `*`."""


def _by_reference(value: object) -> object:
    """An address that stands in the file is not shown again."""
    if isinstance(value, str):
        raise wrong("expected {env: NAME} or {file: PATH}: an address has a password in it")
    return value


Place = Annotated[SecretRef, BeforeValidator(_by_reference)]
"""Where an address is."""


class NotifySection(Section):
    """Who is told what happens."""

    urls: tuple[Place, ...] = Field(
        min_length=1,
        description="Addresses as Apprise writes them, by reference: {env: NAME} or {file: PATH}.",
    )
    events: tuple[str, ...] = Field(
        ("diagnosis", "recovery", "job.ended"),
        min_length=1,
        description="Kinds of events, for example job.failed; a * stands for any text.",
    )
    most_per_hour: int = Field(
        20, ge=1, description="Most messages about a job in an hour; how it ends is told in any case."
    )

    @field_validator("events")
    @classmethod
    def _are_kinds(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for word in value:
            if "*" not in word and word not in KINDS:
                raise wrong(f"{word!r} is no kind of event; {nearest(word, KINDS)}")
        return value
