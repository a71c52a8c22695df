from __future__ import annotations

import pytest

from tpuherd.transfer import is_local, price_per_gib


@pytest.mark.parametrize(
    ("location", "zone", "local"),
    [
        ("US-WEST4", "us-west4-a", True),
        ("us-central1", "us-central1-ai1a", True),
        ("US-EAST1", "us-west4-a", False),
        ("US", "us-west4-a", False),
        ("NAM4", "us-east1-d", True),
        ("NAM4", "us-east5-a", False),
        ("EUR4", "europe-west4-b", True),
    ],
)
def test_where_data_is(location, zone, local):
    assert is_local(location, zone) is local


def test_a_bucket_in_two_regions_of_its_own_choice():
    assert is_local("US", "us-west4-a", ["US-WEST1", "US-WEST4"])
    assert not is_local("US", "us-east5-a", ["US-WEST1", "US-WEST4"])


@pytest.mark.parametrize(
    ("location", "zone", "price"),
    [
        ("US", "us-west4-a", 0.02),
        ("northamerica-northeast1", "us-west4-a", 0.02),
        ("EU", "us-west4-a", 0.05),
        ("US-EAST1", "europe-west4-a", 0.05),
        ("asia-east1", "asia-northeast1-b", 0.08),
        ("ASIA", "europe-west4-a", 0.08),
        ("australia-southeast1", "us-west4-a", None),
        ("us-east1", "southamerica-west1-b", None),
    ],
)
def test_what_moving_costs(location, zone, price):
    assert price_per_gib(location, zone) == price
