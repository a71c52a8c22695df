"""Reading the fleet of an emulated cloud: how many calls, all pages, and places that do not answer."""

from __future__ import annotations

import pytest

from tpuherd.cloud.client import TpuApi
from tpuherd.errors import ProvisionError
from tpuherd.fleet.describing import describe
from tpuherd.fleet.maintenance import announced
from tpuherd.fleet.reading import read_fleet
from tpuherd.fleet.tpu import Kind

from .fleet_home import OTHER_ZONE, ZONE
from .passing_api import passing

NAMES = [f"node-{number}" for number in range(5)]


@pytest.fixture(scope="module")
def busy(fleet):
    """Five nodes in two zones, and a request that is over before it has nodes."""
    for number, name in enumerate(NAMES):
        fleet.make(name, OTHER_ZONE if number % 2 else ZONE, owner="bob")
    api = TpuApi(fleet.reached, ZONE)
    node = {"accelerator_type": "v5litepod-1", "runtime_version": "v2-alpha-tpuv5-lite", "labels": {"a": "b"}}
    request = {
        "tpu": {"node_spec": [{"parent": api.parent, "node_id": "late", "node": node}]},
        "queueing_policy": {"valid_after_duration": {"seconds": 3600}},
    }
    api.change(
        "create_queued_resource", parent=api.parent, queued_resource_id="late", queued_resource=request
    )
    return fleet


def names(read):
    return {tpu.name for tpu in read.tpus if tpu.kind is Kind.NODE}


def test_all_zones_are_one_call_of_each_kind(busy):
    with passing(busy.reached) as (api, cloud):
        read = read_fleet(cloud)
        assert api.calls == {"ListNodes": 1, "ListQueuedResources": 1}
    assert set(NAMES) <= names(read)
    assert read.unreachable == ()


def test_named_zones_are_one_pair_of_calls_each(busy):
    with passing(busy.reached) as (api, cloud):
        read = read_fleet(cloud, [ZONE, OTHER_ZONE, ZONE])
        assert api.calls == {"ListNodes": 2, "ListQueuedResources": 2}
        assert set(NAMES) <= names(read)
        assert {tpu.zone for tpu in read_fleet(cloud, [OTHER_ZONE]).tpus} == {OTHER_ZONE}


def test_all_pages_are_read(busy):
    with passing(busy.reached) as (api, cloud):
        api.page_size = 2
        assert set(NAMES) <= names(read_fleet(cloud))
        assert api.calls["ListNodes"] == 3


def test_places_that_do_not_answer_are_said(busy):
    with passing(busy.reached) as (api, cloud):
        api.unreachable = ("projects/p/locations/us-east5-a",)
        assert read_fleet(cloud).unreachable == ("us-east5-a",)
        assert announced(cloud).unreachable == ("us-east5-a",)


def test_one_zone_that_is_refused_does_not_hide_the_others(busy):
    read = read_fleet(busy.reached, [ZONE, "us-nowhere1-a"])
    assert "node-0" in names(read)
    (silent,) = read.unreachable
    assert silent.startswith("us-nowhere1-a (")


def test_an_api_that_is_away_is_an_error_and_not_an_empty_fleet(busy):
    with passing(busy.reached) as (api, cloud):
        api.down = True
        with pytest.raises(ProvisionError, match="UNAVAILABLE"):
            read_fleet(cloud, read_retry_s=0.2)


def test_a_request_without_nodes_is_a_row(busy):
    found = [tpu for tpu in read_fleet(busy.reached).tpus if tpu.kind is Kind.QUEUED_RESOURCE]
    assert [(tpu.name, tpu.accelerator, tpu.labels) for tpu in found] == [("late", "v5litepod-1", {"a": "b"})]
    assert found[0].created_at
    assert describe(busy.reached, found[0]).queued_resource["state"] == found[0].state
