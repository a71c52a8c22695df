"""What is asked for, and where: the first keys of the `tpu` section."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationInfo, field_validator

from tpuherd.config.sections import Section, wrong
from tpuherd.config.tpu_values import AcceleratorName, ZoneName

ZoneOrder = Literal["listed", "price", "parallel"]
"""In which order placements are tried."""


def _one_or_many(schema: dict[str, Any]) -> None:
    """For editors: `zone` is required unless there are `zones`, and the same for accelerators."""
    pairs = (("accelerator", "accelerators"), ("zone", "zones"))
    keys = {key for pair in pairs for key in pair}
    schema["required"] = [key for key in schema.get("required", ()) if key not in keys]
    schema["allOf"] = [{"anyOf": [{"required": [key]} for key in pair]} for pair in pairs]
    if not schema["required"]:
        del schema["required"]


class PlaceKeys(Section):
    """Which TPUs, how many, and in which zones."""

    model_config = ConfigDict(json_schema_extra=_one_or_many)

    allocation_mode: str = Field(
        "tpu-vm",
        description="Plugin that gets the TPUs, for example tpu-vm or queued-resources; auto takes "
        "the one of these two that fits what is asked.",
    )
    accelerator: AcceleratorName = Field(
        description="Type and size of one slice, for example v5p-32 or v5litepod-16; this, or accelerators."
    )
    accelerators: tuple[AcceleratorName, ...] = Field(
        (), description="Instead of accelerator: several types, of which any one will do, best first."
    )
    zone: ZoneName = Field(description="Zone of the slices, for example us-central2-b; this, or zones.")
    zones: tuple[ZoneName, ...] = Field(
        (), description="Instead of zone: several zones, of which any one will do, best first."
    )
    zone_order: ZoneOrder = Field(
        "listed",
        description="Order in which zones and accelerators are tried: listed, price (cheapest first), or "
        "parallel (all at once; the first wins, the others are withdrawn).",
    )
    check_zones: bool = Field(
        True, description="Whether zones that do not sell the accelerator, by tpuherd's table, are refused."
    )
    slices: int = Field(1, ge=1, description="Number of slices; more than one is a multislice job.")

    @field_validator("accelerators", "zones")
    @classmethod
    def _first_is_the_one(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        key = str(info.field_name)
        single = info.data.get(key.removesuffix("s"))
        if not value:
            raise wrong(f"is empty: name at least one, or write {key.removesuffix('s')}")
        twice = next((name for number, name in enumerate(value) if name in value[:number]), None)
        if twice:
            raise wrong(f"{twice} is there twice")
        if single is not None and single != value[0]:
            raise wrong(f"{key.removesuffix('s')} is there too, and says {single}: write one of the two keys")
        return value
