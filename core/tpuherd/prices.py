"""List prices of TPU chips, to say what a job costs before it is started.

The figures are a dated seed: spot prices move, so what is not in the table is not guessed.
"""

from __future__ import annotations

import re
from typing import Literal

from tpuherd.accelerators import CHIPS_PER_WORKER

Pricing = Literal["ondemand", "spot", "preemptible"]
"""How a TPU is paid for; `preemptible` is billed like `spot`."""

SOURCE = "skypilot-catalog catalogs/v8/gcp/vms.csv at 006059e (Cloud Billing SKUs), divided by chips"
"""Where the prices come from."""

AS_OF = "2026-11"
"""The month in which they were read."""

ON_DEMAND: dict[str, dict[str, float]] = {
    "v2": {"us-central1": 1.125, "europe-west4": 1.2375, "asia-east1": 1.305},
    "v2 pod": {"us-central1": 1.50, "europe-west4": 1.50},
    "v3": {"us-": 2.00, "europe-west4": 2.20},
    "v3 pod": {"us-": 2.00, "europe-west4": 2.00},
    "v4": {"us-central2": 3.22},
    "v5e": {
        "us-": 1.20,
        "us-south1": 1.416,
        "northamerica-northeast1": 1.321,
        "southamerica-west1": 1.716,
        "europe-north1": 1.321,
        "europe-west1": 1.321,
        "europe-west3": 1.416,
        "europe-west4": 1.56,
        "asia-east1": 1.389,
        "asia-northeast1": 1.541,
        "asia-southeast1": 1.56,
    },
    "v5p": {"us-": 4.20, "us-south1": 4.779, "europe-west1": 4.459, "europe-west4": 4.2525},
    "v6e": {
        "us-": 2.70,
        "southamerica-west1": 2.70,
        "europe-": 2.97,
        "asia-southeast1": 2.97,
        "asia-northeast1": 3.24,
        "asia-south1": 3.24,
    },
}
"""USD per chip-hour by generation (`pod`: more than one VM) and region; `us-`: the other US regions."""

SPOT: dict[str, dict[str, float]] = {
    "v2": {"us-central1": 0.3375, "europe-west4": 0.3156, "asia-east1": 0.3915},
    "v2 pod": {"us-central1": 0.3825, "europe-west4": 0.3825},
    "v3": {"us-": 0.51, "europe-west4": 0.561},
    "v3 pod": {"us-east1": 0.60, "europe-west4": 0.66},
    "v4": {"us-central2": 0.9215},
    "v5e": {
        "us-central1": 0.245,
        "us-east1": 0.245,
        "us-west1": 0.245,
        "us-west4": 0.48,
        "us-east4": 0.60,
        "us-east5": 0.60,
        "us-south1": 0.5664,
        "northamerica-northeast1": 0.364,
        "southamerica-west1": 0.473,
        "europe-north1": 0.661,
        "europe-west1": 0.529,
        "europe-west3": 0.39,
        "europe-west4": 0.445,
        "asia-east1": 0.556,
        "asia-northeast1": 0.424,
        "asia-southeast1": 0.78,
    },
    "v5p": {
        "us-central1": 0.836,
        "us-east1": 0.836,
        "us-south1": 1.32,
        "europe-west1": 1.784,
        "europe-west4": 1.35,
        "us-east5": 1.68,
    },
    "v6e": {
        "asia-southeast1": 0.363,
        "asia-northeast1": 0.944,
        "us-central1": 0.544,
        "us-east1": 0.544,
        "us-west1": 0.544,
        "us-east4": 0.578,
        "europe-west4": 1.04,
        "us-east5": 1.215,
        "us-south1": 1.35,
        "asia-south1": 2.27,
    },
}
"""USD per chip-hour of spot capacity, as `ON_DEMAND`."""


def price_per_chip_hour(
    generation: str, place: str, pricing: Pricing, *, chips: int = CHIPS_PER_WORKER
) -> float | None:
    """Return the list price of one chip for one hour in USD, or `None` if it is not known.

    Args:
        generation: For example `v5e`, see `Accelerator.generation`.
        place: A region or a zone, for example `us-central1` or `us-central1-a`.
        pricing: How the TPU is paid for.
        chips: Chips of the slice: v2 and v3 cost more per chip in slices of more than one VM.
    """
    prices = ON_DEMAND if pricing == "ondemand" else SPOT
    pod = f"{generation} pod"
    by_region = prices.get(pod if pod in prices and chips > CHIPS_PER_WORKER else generation, {})
    region = region_of(place)
    continent = region.partition("-")[0] + "-"
    return by_region.get(region, by_region.get(continent))


def region_of(place: str) -> str:
    """Return the region of a zone; a region is its own."""
    zone = re.fullmatch(r"(.+\d+)-[a-z]\w*", place)
    return zone[1] if zone else place
