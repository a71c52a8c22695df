"""What `plan` says, and what it refuses before any cloud is called."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
import yaml

from tpuherd.errors import ConfigError
from tpuherd.hooks import Hooks
from tpuherd.manager import make_plugin_manager

MANAGER = make_plugin_manager()


def steps(job_factory, **tpu):
    """The steps of a plan as text."""
    asked = {"tpu": tpu, "command": {"cmd": "true"}}
    if "zones" not in tpu:
        tpu.setdefault("zone", "us-west4-a")
    if "accelerators" not in tpu:
        tpu.setdefault("accelerator", "v5litepod-8")
    return [f"{step.stage}: {step.action}" for step in Hooks(MANAGER, job_factory.spec(asked)).plan()]


def creations(job_factory, **tpu):
    return [text for text in steps(job_factory, **tpu) if "Create" in text]


@pytest.mark.parametrize(
    ("tpu", "says"),
    [
        ({"slices": 2}, "tpu.slices: more than one slice needs `tpu.allocation_mode: queued-resources`"),
        ({"reservation": "r"}, "tpu.reservation: a reservation needs `tpu.allocation_mode: queued-"),
        ({"valid_until": "6h"}, "tpu.valid_until: a request that lapses needs `tpu.allocation_mode: "),
        ({"accelerator": "tpu7x-8"}, "tpu.accelerator: only GKE sells tpu7x-8, the TPU API does not: choose"),
        ({"accelerators": ["v5e-8", "tpu7x-8"]}, "only GKE sells tpu7x-8"),
        ({"zone": "us-central2-b"}, "tpu.zone: us-central2-b does not sell v5litepod-8; zones with v5lit"),
        ({"zones": ["us-west4-a", "us-central2-b"]}, "tpu.zone: us-central2-b does not sell v5litepod-8"),
        ({"accelerators": ["v5e-8", "v4-8"]}, "us-west4-a does not sell v4-8; zones with v4-8: us-central2"),
        ({"zone": "us-central2-b"}, "or, if the table of 2026-11 is out of date, `tpu.check_zones: false`"),
        ({"data_disks": [{"source": "projects/p/zones/us-east1-d/disks/d"}]},
         "tpu.data_disks: projects/p/zones/us-east1-d/disks/d is in us-east1-d, but the TPU may be in us-"),
    ],
)  # fmt: skip
def test_the_impossible_is_refused(job_factory, tpu, says):
    with pytest.raises(ConfigError) as caught:
        steps(job_factory, **tpu)
    assert says in str(caught.value)


def test_a_reservation_of_another_zone(job_factory):
    whole = "projects/p/locations/us-east5-a/reservations/r"
    with pytest.raises(ConfigError, match="is in us-east5-a, but the TPU may be in us-west4-a"):
        steps(job_factory, allocation_mode="auto", reservation=whole)
    assert creations(job_factory, allocation_mode="auto", reservation=whole, zone="us-east5-a")


def test_a_regional_disk_serves_its_zones(job_factory):
    disks = [{"source": "projects/p/regions/us-west4/disks/d"}]
    assert creations(job_factory, data_disks=disks, zones=["us-west4-a", "us-west4-b"])


def test_what_was_to_lapse_before_now(job_factory):
    over = (datetime.now(UTC) - timedelta(minutes=1)).isoformat()
    with pytest.raises(ConfigError, match=r"tpu\.valid_until: .* is over: write a later time, or a duration"):
        steps(job_factory, allocation_mode="auto", valid_until=over)
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    assert creations(job_factory, allocation_mode="auto", valid_until=later)


def test_both_ways_say_what_they_create(job_factory):
    (node,) = creations(job_factory)
    assert "CreateNode " in node
    assert node.endswith("in us-west4-a: v5litepod-8, runtime v2-alpha-tpuv5-lite, ondemand")
    (queued,) = creations(job_factory, allocation_mode="auto", slices=2, reserved=True)
    assert "CreateQueuedResource " in queued
    assert queued.endswith("in us-west4-a: 2 x v5litepod-8, runtime v2-alpha-tpuv5-lite, reserved")


def test_failover_is_said_in_order(job_factory):
    first, second = creations(
        job_factory, zones=["us-west4-a", "us-west1-c"], zone_order="price", pricing="spot"
    )
    assert "provision: CreateNode" in first
    assert "in us-west1-c" in first
    assert "provision: else: CreateNode" in second


def test_types_that_share_a_template_have_names_of_their_own(job_factory):
    kinds = ["v5litepod-8", "v6e-8"]
    named = creations(job_factory, accelerators=kinds, zone="us-east5-a")
    assert ["…-v5litepod-8 in" in named[0], "…-v6e-8 in" in named[1]] == [True, True]
    fleet = creations(job_factory, accelerators=kinds, zone="us-east5-a", name="tpu-{zone}-{index}")
    assert all("tpu-us-east5-a-… in" in text for text in fleet)


def test_parallel_is_said_as_such(job_factory):
    zones = ["us-west4-a", "us-west1-c"]
    _, second = creations(job_factory, zones=zones, zone_order="parallel")
    assert "at the same time: CreateNode" in second


def test_waiting_is_said(job_factory):
    text = "\n".join(steps(job_factory, wait_for_capacity=True, provision_timeout_s=60))
    assert "provision: again until there is capacity, for at most 60 s" in text


@pytest.mark.parametrize(
    ("tpu", "note"),
    [
        ({"zone": "mars-north1-a"}, "zone mars-north1-a is not in the table of 2026-11"),
        ({"zones": ["us-west4-a", "us-east5-a"], "accelerators": ["v5e-8", "v6e-8"]},
         "v6e-8 in us-west4-a is left out: that zone does not sell it"),
        ({"allocation_mode": "queued-resources", "pricing": "preemptible"}, "no preemptible tier: spot is"),
    ],
)  # fmt: skip
def test_what_may_surprise_is_noted(job_factory, tpu, note):
    (found,) = [text for text in steps(job_factory, **tpu) if "note: " in text]
    assert note in found


def test_without_the_check_nothing_is_said_or_refused(job_factory):
    text = "\n".join(steps(job_factory, zone="us-central2-b", check_zones=False))
    assert "note: " not in text
    assert "in us-central2-b" in text


def test_workers_that_a_smaller_slice_would_not_have(job_factory):
    tpu = {"accelerators": ["v5litepod-16", "v5litepod-8"], "zone": "us-west4-a"}
    spec = job_factory.spec({"tpu": tpu, "command": {"cmd": "true", "workers": [3]}})
    with pytest.raises(ConfigError, match=r"there is no worker 3; the slices have 0 to 0"):
        Hooks(MANAGER, spec).plan()


@pytest.mark.slow
def test_the_command_shows_places_prices_and_the_choice(tmp_path, tpuherd_run):
    tpu = {
        "allocation_mode": "auto",
        "accelerators": ["v5litepod-16", "v6e-16"],
        "zones": ["us-west4-a", "us-east5-b"],
        "zone_order": "price",
        "pricing": "spot",
    }
    path = tmp_path / "job.yaml"
    path.write_text(yaml.safe_dump({"cloud": "google", "tpu": tpu, "command": {"cmd": "true"}}))
    done = tpuherd_run("plan", str(path), "--json")
    assert done.exit_code == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["allocation mode"] == "queued-resources (auto: v6e-16 is sold through the queue)"
    assert (shown["zone"], shown["price per hour"]) == ("us-west4-a", "7.68 USD")
    assert [(place["try"], place["zone"], place["list price per hour"]) for place in shown["placements"]] == [
        (1, "us-west4-a", "7.68 USD"),
        (2, "us-east5-b", "9.60 USD"),
        (3, "us-east5-b", "19.44 USD"),
    ]
    assert "us-east5-b" in tpuherd_run("plan", str(path)).stdout
