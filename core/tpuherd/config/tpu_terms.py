"""On which terms TPUs are asked for, and for how long they are kept: keys of the `tpu` section."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from tpuherd.config.sections import Section, wrong
from tpuherd.config.tpu_values import EndOfWait, ReservationName


class TermKeys(Section):
    """How it is paid for, whether to wait for it, and when it is given back."""

    pricing: Literal["ondemand", "spot", "preemptible"] = Field(
        "ondemand", description="How it is paid for; preemptible is the older form of spot."
    )
    reservation: ReservationName | None = Field(
        None, description="Reservation whose capacity is used; implies reserved."
    )
    reserved: bool = Field(False, description="Whether reserved capacity of the project is used.")
    wait_for_capacity: bool = Field(
        False,
        description="Whether to go on trying until provision_timeout_s when there is no capacity anywhere; "
        "otherwise every zone is tried once.",
    )
    valid_until: EndOfWait | None = Field(
        None,
        description="When a queued request lapses: a time such as 2026-12-01T08:00:00Z, or 6h from now.",
    )
    ttl_s: float | None = Field(
        None,
        gt=0,
        description="How long the job may hold TPUs, in seconds from when they are asked for; then it is "
        "stopped, and gives them back. --ttl wins.",
    )
    idle_timeout_s: float | None = Field(
        None, gt=0, description="Seconds without use after which TPUs that no command holds are given back."
    )

    @field_validator("reservation", "reserved")
    @classmethod
    def _reserved_is_not_spot(cls, value: Any, info: ValidationInfo) -> Any:
        pricing = info.data.get("pricing", "ondemand")
        if value and pricing != "ondemand":
            raise wrong(f"reserved capacity is not sold as {pricing}: leave out this key or tpu.pricing")
        return value

    @field_validator("reserved")
    @classmethod
    def _a_reservation_implies_it(cls, value: Any, info: ValidationInfo) -> Any:
        if not value and info.data.get("reservation") is not None:
            raise wrong("tpu.reservation is there, and implies reserved: leave this key out")
        return value
