"""What data costs that moves between a bucket and TPUs in another place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.prices import region_of

if TYPE_CHECKING:
    from collections.abc import Collection

SOURCE = "list prices of Cloud Storage for data transfer within Google Cloud, in USD per GiB"
"""What the table holds; an order of magnitude for a warning, not a quote."""

AS_OF = "2025"
"""The year of the list."""

CONTINENTS = {
    "us": "America",
    "northamerica": "America",
    "nam4": "America",
    "europe": "Europe",
    "eu": "Europe",
    "eur4": "Europe",
    "eur5": "Europe",
    "eur7": "Europe",
    "eur8": "Europe",
    "asia": "Asia",
    "asia1": "Asia",
}
"""First words of locations to where prices put them; others are not in the table."""

PER_GIB: dict[frozenset[str], float] = {
    frozenset({"America"}): 0.02,
    frozenset({"Europe"}): 0.02,
    frozenset({"Asia"}): 0.08,
    frozenset({"America", "Europe"}): 0.05,
    frozenset({"America", "Asia"}): 0.08,
    frozenset({"Europe", "Asia"}): 0.08,
}
"""By the two ends."""

PAIRS = {
    "nam4": frozenset({"us-central1", "us-east1"}),
    "eur4": frozenset({"europe-north1", "europe-west4"}),
    "eur5": frozenset({"europe-west1", "europe-west2"}),
    "eur7": frozenset({"europe-west2", "europe-west3"}),
    "eur8": frozenset({"europe-west3", "europe-west6"}),
    "asia1": frozenset({"asia-northeast1", "asia-northeast2"}),
}
"""Regions of predefined dual-region locations."""


def is_local(location: str, zone: str, regions: Collection[str] = ()) -> bool:
    """True if a bucket's data is in the region of a zone.

    Args:
        location: the bucket's location, for example `US-EAST1`, `NAM4` or `US`.
        zone: the zone of the TPUs.
        regions: the regions of a bucket that has two of its own choice.
    """
    inside = {location.lower(), *(region.lower() for region in regions), *PAIRS.get(location.lower(), ())}
    return region_of(zone) in inside


def price_per_gib(location: str, zone: str) -> float | None:
    """The price of moving one GiB between a bucket that is not local and a zone; `None`: not known."""
    ends = {CONTINENTS.get(place.lower().partition("-")[0]) for place in (location, zone)}
    return PER_GIB.get(frozenset(end for end in ends if end)) if None not in ends else None
