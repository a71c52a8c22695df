"""What a scenario file may say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from tpuherd.config.moments import duration_s
from tpuherd_emulator.faults.codes import CODES
from tpuherd_emulator.faults.fault import Fault, check
from tpuherd_emulator.faults.kinds import KINDS
from tpuherd_emulator.faults.limit import Limit

if TYPE_CHECKING:
    from collections.abc import Mapping

EXPECTED = "expected seconds, or a time span such as 30s, 5m or 2h"


def _seconds(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return duration_s(value)
    except ValueError as error:
        raise PydanticCustomError("wrong", EXPECTED) from error


Seconds = Annotated[float, Field(ge=0), BeforeValidator(_seconds)]
Generation = Literal["", "v2", "v3", "v4", "v5e", "v5p", "v6e"]


class Part(BaseModel):
    """A part of a scenario: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FaultPart(Part):
    """One fault."""

    kind: Literal[tuple(KINDS)] = Field(description="Which fault.")  # type: ignore[valid-type]
    zone: str = Field("*", description="Only in zones like this.")
    accelerator: str = Field("*", description="Only for accelerator types like this.")
    node: str = Field("*", description="Only for nodes or queued resources with an id like this.")
    method: str = Field("*", description="Only for methods of the API like this.")
    worker: int | None = Field(None, ge=0, description="Only this worker of a node.")
    rate: float = Field(1.0, gt=0, le=1, description="Probability that it strikes what matches.")
    count: int | None = Field(None, ge=1, description="How often it strikes.")
    after_s: Seconds = Field(0.0, description="When it happens, from now or after a node is READY.")
    delay_s: Seconds = Field(0.0, description="How long it lasts, or how much longer things take.")
    notice_s: Seconds = Field(0.0, description="Time between a notice and what it announces.")
    code: Literal[tuple(CODES)] = Field("UNAVAILABLE", description="Status code of an answer.")  # type: ignore[valid-type]
    text: str = Field("", description="Text of an answer, or a description.")
    value: str = Field("", description="Which variant of the fault.")

    @model_validator(mode="after")
    def _is_possible(self) -> FaultPart:
        values = KINDS[self.kind].values
        if self.value and self.value not in values:
            known = f"one of {', '.join(values)}" if values else "nothing: this fault has no variants"
            raise PydanticCustomError("wrong", f"value {self.value!r}: expected {known}")
        return self

    def fault(self) -> Fault:
        """The fault itself."""
        return check(Fault(**self.model_dump()))


class LimitPart(Part):
    """A limit of chips."""

    place: str = Field(pattern=r"^[a-z]+-[a-z]+\d+(-[a-z])?$", description="A zone, or a region.")
    chips: int | None = Field(ge=0, description="How many chips; null: no limit any more.")
    generation: Generation = Field("", description="Only of this generation.")
    market: Literal["", "on-demand", "spot", "reserved"] = Field("", description="Only of this market.")

    def limit(self, name: str) -> Limit:
        """The limit itself; `name` is `capacity` or `quota`."""
        return Limit(limit=name, **self.model_dump())


class Step(Part):
    """One thing to do: exactly one of the keys."""

    fault: FaultPart | None = Field(None, description="Let something go wrong.")
    clear: Literal[("all", *KINDS)] | None = Field(None, description="Forget faults of one kind, or all.")  # type: ignore[valid-type]
    capacity: LimitPart | None = Field(None, description="Set how many chips there are.")
    quota: LimitPart | None = Field(None, description="Set how many chips the project may have.")
    speed: float | None = Field(None, ge=0, description="Go on at another speed.")

    @model_validator(mode="after")
    def _is_one(self) -> Step:
        if len(self.model_fields_set) != 1:
            known = ", ".join(type(self).model_fields)
            raise PydanticCustomError("wrong", f"expected exactly one of {known}")
        return self


class Condition(Part):
    """Something that is waited for."""

    node: str | None = Field(None, description="Id of a node, with `*` and `?`.")
    queued_resource: str | None = Field(None, description="Id of a queued resource, with `*` and `?`.")
    state: str = Field(description="The state that it has to have, for example READY.")

    @model_validator(mode="after")
    def _is_one(self) -> Condition:
        if (self.node is None) == (self.queued_resource is None):
            raise PydanticCustomError("wrong", "expected exactly one of node, queued_resource")
        return self


class Entry(Part):
    """One entry of the timeline."""

    at: Seconds = Field(0.0, description="From the beginning of the scenario, or from the condition on.")
    when: Condition | None = Field(None, description="What is waited for first; once.")
    do: tuple[Step, ...] = Field(min_length=1, description="What to do then.")


class CloudPart(Part):
    """Settings of the cloud: they come to bear when `cloud.up` starts it."""

    clock: Literal["real", "manual"] | None = Field(None, description="`manual` stands still until ticks.")
    speed: float | None = Field(None, gt=0, description="Emulated seconds per real second.")
    seed: int | None = Field(None, description="Of random times and rates.")
    workers: Literal["ssh", "none"] | None = Field(None, description="`none`: addresses only.")
    create_s: Seconds | None = Field(None, description="Time that a node stays CREATING.")
    delete_s: Seconds | None = Field(None, description="Time that a node stays DELETING.")
    queue_s: Seconds | None = Field(None, description="Time of each state of a queued resource.")
    preemptible_limit_s: Seconds | None = Field(None, description="Life of a preemptible node.")

    def options(self) -> Mapping[str, Any]:
        """What the file sets."""
        return self.model_dump(exclude_none=True)


class Scenario(Part):
    """A scenario: what holds from the beginning, and what happens later."""

    cloud: CloudPart = Field(CloudPart(), description="Settings of a new cloud.")
    capacity: tuple[LimitPart, ...] = Field((), description="Chips that there are.")
    quota: tuple[LimitPart, ...] = Field((), description="Chips that the project may have.")
    faults: tuple[FaultPart, ...] = Field((), description="Faults from the beginning.")
    timeline: tuple[Entry, ...] = Field((), description="What happens later.")
