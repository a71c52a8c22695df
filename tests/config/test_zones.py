from __future__ import annotations

import re

import pytest

from tpuherd.accelerators import names, resolve
from tpuherd.generations import GENERATIONS
from tpuherd.prices import ON_DEMAND, region_of
from tpuherd.zones import AS_OF, KNOWN, SOLD, SOURCE, is_sold, zones_of


@pytest.mark.parametrize(
    ("name", "zone", "sold"),
    [
        ("v4-8", "us-central2-b", True),
        ("v4-8", "us-west4-a", False),
        ("v5litepod-16", "us-west4-a", True),
        ("v5litepod-16", "us-central2-b", False),
        ("v6e-8", "europe-west4-a", True),
        ("v6e-8", "europe-west4-b", False),
        ("v5p-8", "us-east5-a", True),
        ("v2-8", "us-central1-b", True),
        ("v2-32", "us-central1-b", False),
        ("v2-32", "us-central1-a", True),
        ("v3-8", "us-central1-a", True),
        ("v3-32", "us-central1-a", False),
        ("v4-8", "mars-north1-a", True),
    ],
)
def test_who_sells_what(name, zone, sold):
    assert is_sold(resolve(name), zone) is sold


def test_every_type_is_sold_somewhere():
    assert all(zones_of(resolve(name)) for name in names())


def test_the_table_is_about_generations_and_zones():
    assert {key.removesuffix(" pod") for key in SOLD} == {generation.name for generation in GENERATIONS}
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*\d+-[a-z0-9]+", zone) for zone in KNOWN)
    assert re.fullmatch(r"\d{4}-\d{2}", AS_OF)
    assert SOURCE


def test_the_tables_of_zones_and_of_prices_agree():
    for generation, prices in ON_DEMAND.items():
        regions = {region_of(zone) for zone in SOLD[generation]}
        priced = {place for place in prices if not place.endswith("-")}
        assert priced - {"us-south1"} <= regions, generation
