from __future__ import annotations

import pytest

from tpuherd.prices import price_per_chip_hour, region_of


@pytest.mark.parametrize(
    ("generation", "place", "pricing", "price"),
    [
        ("v4", "us-central2-b", "ondemand", 3.22),
        ("v4", "us-central2", "spot", 0.9215),
        ("v5e", "us-south1-a", "ondemand", 1.416),
        ("v5e", "us-east5-b", "ondemand", 1.20),
        ("v5e", "us-west4-a", "preemptible", 0.48),
        ("v6e", "europe-west4-a", "ondemand", 2.97),
        ("v6e", "asia-northeast1-b", "ondemand", 3.24),
        ("v6e", "us-central1-ai1a", "spot", 0.544),
        ("v6e", "asia-northeast1-b", "spot", 0.944),
        ("v6e", "southamerica-west1-a", "spot", None),
        ("v4", "europe-west4-a", "ondemand", None),
        ("tpu7x", "us-central1-a", "ondemand", None),
        ("v9", "us-central1-a", "spot", None),
    ],
)
def test_seed(generation, place, pricing, price):
    assert price_per_chip_hour(generation, place, pricing) == price


def test_slices_of_old_generations_cost_more_per_chip():
    assert price_per_chip_hour("v2", "us-central1-b", "ondemand") == 1.125
    assert price_per_chip_hour("v2", "us-central1-b", "ondemand", chips=16) == 1.50
    assert price_per_chip_hour("v5e", "us-central1-a", "spot", chips=256) == 0.245


def test_region_of_a_zone():
    assert region_of("us-central1-a") == "us-central1"
    assert region_of("us-central1-ai1a") == "us-central1"
    assert region_of("northamerica-northeast2") == "northamerica-northeast2"
