"""Which zones sell which TPUs: a dated table, to find a wrong zone before the API is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.accelerators import CHIPS_PER_WORKER

if TYPE_CHECKING:
    from tpuherd.accelerators import Accelerator

SOURCE = (
    "skypilot-catalog catalogs/v8/gcp/vms.csv at 006059e (what the API lists zone by zone) and "
    "the documentation's page on TPU regions and zones, with the zones that it calls single-tenant"
)
"""Where the table comes from."""

AS_OF = "2026-11"
"""The month in which it was read."""

_EAST5 = "us-east5-a us-east5-b us-east5-c "

SOLD: dict[str, frozenset[str]] = {
    generation: frozenset(zones.split())
    for generation, zones in {
        "v2": "us-central1-b us-central1-c us-central1-f europe-west4-a asia-east1-c",
        "v2 pod": "us-central1-a europe-west4-a",
        "v3": "us-central1-a us-central1-b us-central1-f us-east1-d europe-west4-a",
        "v3 pod": "us-east1-d europe-west4-a",
        "v4": "us-central2-b",
        "v5e": _EAST5 + "us-central1-a us-east1-b us-east1-c us-east4-b us-south1-a us-south1-b us-west1-c "
        "us-west4-a us-west4-b northamerica-northeast1-b southamerica-west1-b southamerica-west1-c "
        "europe-north1-a europe-north1-c europe-west1-b europe-west1-c europe-west3-c europe-west4-a "
        "europe-west4-b asia-east1-a asia-east1-b asia-east1-c asia-northeast1-b asia-southeast1-b",
        "v5p": _EAST5 + "us-central1-a us-east1-d us-south1-a us-south1-b us-south1-c europe-west1-b "
        "europe-west1-d europe-west4-b",
        "v6e": _EAST5 + "us-central1-a us-central1-b us-central1-c us-central1-ai1a us-central2-b us-east1-d "
        "us-east4-a us-east4-b us-south1-a us-south1-ai1b us-south1-c us-west1-c southamerica-east1-c "
        "southamerica-west1-a europe-west4-a asia-east1-c asia-northeast1-b asia-south1-b asia-south1-c "
        "asia-southeast1-b",
        "tpu7x": "us-central1-c us-central1-ai1a",
    }.items()
}
"""Zones by generation (`pod`: more than one VM, where those are sold in other zones)."""

KNOWN = frozenset().union(*SOLD.values())
"""Zones that the table knows at all; nothing is said about others."""


def zones_of(accelerator: Accelerator) -> frozenset[str]:
    """The zones that sell an accelerator type."""
    pod = f"{accelerator.generation} pod"
    larger = accelerator.chips > CHIPS_PER_WORKER
    return SOLD[pod if larger and pod in SOLD else accelerator.generation]


def is_sold(accelerator: Accelerator, zone: str) -> bool:
    """False if a zone that the table knows does not sell the type; zones that it does not know may."""
    return zone not in KNOWN or zone in zones_of(accelerator)
