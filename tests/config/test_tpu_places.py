from __future__ import annotations

import json

import pytest
from job_files import SECTIONS

from tpuherd.cloud.placement import Placement, placements, rounds
from tpuherd.config.load import load_text
from tpuherd.config.schema import json_schema
from tpuherd.errors import ConfigError

LISTS = """\
tpu:
  accelerators: [v5e-16, v6e-16]
  zones: [us-west4-a, us-east5-b]
"""


def tpu(folder, text=LISTS, *overrides):
    return folder.load(text, *overrides).spec.tpu


def refused(folder, text, *overrides):
    with pytest.raises(ConfigError) as caught:
        folder.load(text, *overrides)
    return str(caught.value).replace(f"{folder.path}/", "").splitlines()


def test_one_is_a_list_of_one(folder):
    found = folder.minimal().spec.tpu
    assert (found.zones, found.accelerators) == (("us-central2-b",), ("v4-8",))


def test_the_first_of_several_is_the_one(folder):
    found = tpu(folder)
    assert (found.zone, found.accelerator) == ("us-west4-a", "v5litepod-16")
    assert found.accelerators == ("v5litepod-16", "v6e-16")
    assert found.runtime_version == "v2-alpha-tpuv5-lite"
    assert found.runtime_version_for("v6e-16") == "v2-alpha-tpuv6e"


def test_references_to_the_first_work(folder):
    spec = folder.load(LISTS, "output.directory=gs://b-${tpu.zone}/${tpu.accelerator}").spec
    assert spec.output.directory == "gs://b-us-west4-a/v5e-16"


def test_an_override_of_one_wins_over_the_files_several(folder):
    found = tpu(folder, LISTS, "tpu.zone=us-east5-b", "tpu.accelerator=v6e-8")
    assert (found.zones, found.accelerators) == (("us-east5-b",), ("v6e-8",))


def test_an_override_of_several_wins_over_the_files_one(folder):
    one = "tpu: {accelerator: v4-8, zone: us-central2-b}\n"
    assert tpu(folder, one, "tpu.zones=[us-west4-a, us-west4-b]").zone == "us-west4-a"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tpu: {zones: [us-west4-a]}", ["job.yaml:1: tpu.accelerator: is required: Type and size"]),
        ("tpu: {accelerator: v4-8, zones: []}", ["tpu.zone: is required", "tpu.zones: is empty: name"]),
        ("tpu:\n  accelerator: v4-8\n  zones:\n  - us-west4", ["job.yaml:3: tpu.zones[0]: expected a zone"]),
        ("tpu:\n  zone: us-west4-a\n  accelerators:\n  - v4-8\n  - v4-9",
         ["job.yaml:3: tpu.accelerators[1]: accelerator 'v4-9' does not exist"]),
        ("tpu: {accelerator: v4-9, zone: us-west4-a}", ["tpu.accelerator: accelerator 'v4-9' does not"]),
        ("tpu: {accelerator: v4-8, zones: [us-west4-a, us-west4-a]}", ["tpu.zones: us-west4-a is there twi"]),
        ("tpu: {accelerators: [v5e-8, v5litepod-8], zone: us-west4-a}",
         ["tpu.accelerators: v5litepod-8 is there twice"]),
        ("tpu: {accelerator: v4-8, zone: us-west4-a, zones: [us-west4-b]}",
         ["tpu.zones: zone is there too, and says us-west4-a: write one of the two keys"]),
        ("tpu: {accelerator: v4-8, zone: us-west4-a, zone_order: prise}",
         ["tpu.zone_order: 'prise'; did you mean 'price'? valid: listed, price, parallel"]),
        ("tpu: {accelerators: [v4-8, v5p-8], zone: us-west4-a, version: x}",
         ["tpu.version: 'x' cannot be the version of v4 and v5p: leave it out"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_once_at_the_key_that_was_written(folder, text, expected):
    lines = refused(folder, text)
    assert len(lines) == len(expected)
    assert all(part in line for part, line in zip(expected, lines, strict=True)), lines


def test_one_version_for_several_sizes_of_a_generation(folder):
    text = "tpu: {accelerators: [v4-8, v4-16], zone: us-central2-b, version: x}\n"
    assert tpu(folder, text).runtime_version_for("v4-16") == "x"


def test_the_job_means_the_same_in_both_forms(folder):
    one = folder.load("tpu: {accelerator: v4-8, zone: us-central2-b}\n")
    several = folder.load("tpu: {accelerators: [v4-8], zones: [us-central2-b]}\n")
    assert one.digest == several.digest
    assert load_text(several.text, several.path, SECTIONS).digest == one.digest


def test_listed_goes_through_zones_first(folder):
    assert [str(place) for (place,) in rounds(tpu(folder))] == [
        "v5litepod-16 in us-west4-a",
        "v5litepod-16 in us-east5-b",
        "v6e-16 in us-east5-b",
    ]


def test_price_puts_the_cheapest_first_and_the_unknown_last(folder):
    text = "tpu: {accelerator: v5litepod-8, zones: [us-foo1-a, us-west4-a, us-west4-b, us-central1-a]}\n"
    found = rounds(tpu(folder, text, "tpu.zone_order=price", "tpu.pricing=spot"))
    zones = [place.zone for (place,) in found]
    assert zones == ["us-central1-a", "us-west4-a", "us-west4-b", "us-foo1-a"]


def test_price_counts_all_chips_of_a_slice(folder):
    text = "tpu: {accelerators: [v5litepod-256, v6e-8], zone: us-east5-b, zone_order: price}\n"
    assert [place.accelerator for (place,) in rounds(tpu(folder, text))] == ["v6e-8", "v5litepod-256"]


def test_parallel_is_one_round(folder):
    (everything,) = rounds(tpu(folder, LISTS, "tpu.zone_order=parallel"))
    assert everything == placements(tpu(folder))
    assert len(everything) == 3


def test_a_recovery_narrows_to_its_zone(folder):
    found = placements(tpu(folder), "europe-west4-a")
    assert [place.accelerator for place in found] == ["v5litepod-16", "v6e-16"]
    assert {place.zone for place in found} == {"europe-west4-a"}


def test_without_the_check_nothing_is_left_out(folder):
    assert len(placements(tpu(folder, LISTS, "tpu.check_zones=false"))) == 4


@pytest.mark.parametrize(
    ("zone", "region", "letter"),
    [("us-central2-b", "us-central2", "b"), ("us-central1-ai1a", "us-central1", "ai1a")],
)
def test_parts_of_a_zone(zone, region, letter):
    place = Placement(zone=zone, accelerator="v4-8")
    assert (place.region, place.zone_letter, place.shape.workers) == (region, letter, 1)


def test_price_of_a_placement():
    assert Placement(zone="us-west4-a", accelerator="v5litepod-16").price_per_hour("spot") == pytest.approx(
        7.68
    )
    assert Placement(zone="us-foo1-a", accelerator="v4-8").price_per_hour("spot") is None


def test_editors_accept_either_form(folder):
    section = json_schema(SECTIONS)["$defs"]["TpuSection"]
    assert "required" not in section
    assert section["allOf"] == [
        {"anyOf": [{"required": ["accelerator"]}, {"required": ["accelerators"]}]},
        {"anyOf": [{"required": ["zone"]}, {"required": ["zones"]}]},
    ]
    assert json.loads(json.dumps(section)) == section
