"""The `detection` section of the job file."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator

from tpuherd.config.sections import Section, wrong

Place = Literal[
    "log", "error", "refusal", "node.state", "node.health", "node.symptom", "node.maintenance",
    "queue.state", "metadata", "exit", "host", "progress",
]  # fmt: skip
ClassName = Literal[
    "preempted", "maintenance", "host-fault", "dirty-device", "network", "host-out-of-memory",
    "device-out-of-memory", "user-error", "stockout", "quota", "authorization", "hung", "unknown",
]  # fmt: skip


class PatternSection(Section):
    """One more row of the detector table."""

    id: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the row, shown as evidence."
    )
    pattern: str = Field(min_length=1, description="Regular expression, searched for in one line.")
    failure: ClassName = Field(description="Class of the failure that it means.")
    where: Place = Field("log", description="Where it is looked for.")
    action: str = Field("", description="What helps, for people.")
    symptom: bool = Field(False, description="Whether the death of another worker looks like that, too.")
    confidence: float = Field(0.9, gt=0, le=1, description="How sure it is, up to 1.")

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        return _expression(value)


class DetectionSection(Section):
    """How failures are recognized."""

    patterns: tuple[PatternSection, ...] = Field(
        (), description="Rows added to the detector table; see `tpuherd detectors`."
    )
    hung_after_s: float | None = Field(
        None,
        gt=0,
        description="Seconds without a step, or without output where no steps are reported, after which the "
        "work counts as hung; by default what the workload says, for most: never.",
    )
    step_pattern: str | None = Field(
        None, description="Regular expression with one group: the number of the step in a line of the log."
    )
    checkpoint_pattern: str | None = Field(
        None, description="The same for lines that say which step was checkpointed."
    )

    @field_validator("step_pattern", "checkpoint_pattern")
    @classmethod
    def _one_group(cls, value: str | None) -> str | None:
        if value is not None and re.compile(_expression(value)).groups != 1:
            raise wrong("expected exactly one group, around the number: for example 'step (\\d+)'")
        return value


def _expression(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise wrong(f"no regular expression: {error}") from error
    return value
