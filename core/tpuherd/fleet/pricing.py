"""What a TPU of the fleet costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.prices import price_per_chip_hour

if TYPE_CHECKING:
    from tpuherd.fleet.tpu import Tpu


def usd_per_hour(tpu: Tpu) -> float | None:
    """The list price of all its slices while they are READY; `None` if it is not known.

    What a reservation costs is in a contract, not in a list.
    """
    shape = tpu.shape
    if shape is None or tpu.tier == "reserved":
        return None
    per_chip = price_per_chip_hour(shape.generation, tpu.zone, tpu.tier, chips=shape.chips)
    return None if per_chip is None else per_chip * tpu.chips
