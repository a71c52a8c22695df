"""Where TPUs may be asked for: one accelerator in one zone, and the order in which such places are tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.accelerators import Accelerator, resolve
from tpuherd.prices import Pricing, price_per_chip_hour, region_of
from tpuherd.zones import is_sold

if TYPE_CHECKING:
    from tpuherd.config.tpu import TpuSection


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """One accelerator type in one zone."""

    zone: str
    accelerator: str

    def __str__(self) -> str:
        return f"{self.accelerator} in {self.zone}"

    @property
    def region(self) -> str:
        """The zone's region, for example `us-central2`."""
        return region_of(self.zone)

    @property
    def zone_letter(self) -> str:
        """What the zone's name has behind its region, for example `b`."""
        return self.zone.removeprefix(self.region).lstrip("-")

    @property
    def shape(self) -> Accelerator:
        """What the accelerator type stands for."""
        return resolve(self.accelerator)

    def price_per_hour(self, pricing: Pricing) -> float | None:
        """The list price in USD of one slice for one hour, or `None` if it is not known."""
        shape = self.shape
        each = price_per_chip_hour(shape.generation, self.zone, pricing, chips=shape.chips)
        return None if each is None else each * shape.chips


Round = tuple[Placement, ...]
"""Placements that are tried at once."""


def placements(tpu: TpuSection, zone: str | None = None) -> tuple[Placement, ...]:
    """All places where slices may be asked for, as listed: zones outside, accelerators inside.

    What the table of zones says is not sold there is left out, unless nothing would be left.

    Args:
        tpu: the section of the job file.
        zone: the only zone that counts, if a recovery chose it; it need not be one of the job file.
    """
    zones = tpu.zones if zone is None else (zone,)
    found = [Placement(zone=name, accelerator=each) for name in zones for each in tpu.accelerators]
    sold = [place for place in found if not tpu.check_zones or is_sold(place.shape, place.zone)]
    return tuple(sold or found)


def rounds(tpu: TpuSection, zone: str | None = None) -> tuple[Round, ...]:
    """The placements in the order in which they are tried; those of one round are tried at once.

    `listed` and `price` have one placement in each round, `parallel` has one round with all of them.
    Unknown prices come last, and equal ones in the order of the job file.
    """
    found = placements(tpu, zone)
    if tpu.zone_order == "parallel":
        return (found,)
    if tpu.zone_order == "price":
        found = tuple(sorted(found, key=lambda place: _rank(place, tpu.pricing)))
    return tuple((place,) for place in found)


def _rank(place: Placement, pricing: Pricing) -> tuple[bool, float]:
    price = place.price_per_hour(pricing)
    return (price is None, price or 0.0)
