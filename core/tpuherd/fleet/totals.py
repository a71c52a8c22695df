"""Sums over the fleet: chips by zone and type, and what they cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.fleet.pricing import usd_per_hour
from tpuherd.fleet.tpu import Kind, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd.fleet.tpu import Tpu

Key = tuple[str, str, Tier]
"""Zone, generation, tier."""

HOLDS_NO_QUOTA = ("DELETING", "HIDDEN")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a set of TPUs costs."""

    usd_per_hour: float
    """Of those that are READY and whose price is known."""
    unpriced: int
    """How many READY ones have no known price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Chips of one type and tier in one zone."""

    zone: str
    generation: str
    tier: Tier
    nodes: int
    chips: int
    """Of nodes: those that are PREEMPTED or STOPPED count, the API counts them, too."""
    waiting_chips: int
    """Of queued resources without nodes."""
    cores: int
    """TensorCores of `chips`: quotas of v2 to v4 and v5p are in cores."""


def cost(tpus: Iterable[Tpu]) -> Cost:
    """Add up what is billed now."""
    prices = [usd_per_hour(tpu) for tpu in tpus if tpu.billed]
    known = [price for price in prices if price is not None]
    return Cost(usd_per_hour=sum(known), unpriced=len(prices) - len(known))


def chips_by_place(tpus: Iterable[Tpu]) -> dict[str, dict[str, int]]:
    """Chips that exist, by zone and generation."""
    found: dict[str, dict[str, int]] = {}
    for line in usage(tpus):
        by_type = found.setdefault(line.zone, {})
        by_type[line.generation] = by_type.get(line.generation, 0) + line.chips
    return {zone: {name: chips for name, chips in types.items() if chips} for zone, types in found.items()}


def usage(tpus: Iterable[Tpu]) -> list[Usage]:
    """What is used of each quota, by zone, generation and tier."""
    nodes: Counter[Key] = Counter()
    chips: Counter[Key] = Counter()
    waiting: Counter[Key] = Counter()
    cores: Counter[Key] = Counter()
    for tpu in tpus:
        if tpu.state in HOLDS_NO_QUOTA:
            continue
        key = (tpu.zone, tpu.shape.generation if tpu.shape else tpu.accelerator, tpu.tier)
        is_node = tpu.kind is Kind.NODE
        nodes[key] += is_node
        chips[key] += tpu.chips * is_node
        waiting[key] += tpu.chips * (not is_node)
        cores[key] += tpu.chips * is_node * (tpu.shape.cores_per_chip if tpu.shape else 0)
    return [
        Usage(
            zone=key[0],
            generation=key[1],
            tier=key[2],
            nodes=nodes[key],
            chips=chips[key],
            waiting_chips=waiting[key],
            cores=cores[key],
        )
        for key in sorted(nodes)
    ]
