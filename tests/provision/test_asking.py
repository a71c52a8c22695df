"""What is in the requests, key by key: as Google's own message types understand them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from google.cloud import tpu_v2

from tpuherd import ConfigError
from tpuherd.cloud.asking import node_message
from tpuherd.cloud.naming import target_of
from tpuherd.model.job import Attempt
from tpuherd_queued_resources.asking import queued_message
from tpuherd_queued_resources.states import ACTIONS, PHASES

PARENT = "projects/test-project/locations/us-west4-a"
USUAL = {"accelerator": "v5litepod-8", "zone": "us-west4-a"}


def job_with(job_factory, **tpu):
    return job_factory({"tpu": USUAL | tpu, "command": {"cmd": "true"}})


def node_for(job_factory, **tpu):
    job = job_with(job_factory, **tpu)
    return tpu_v2.Node(node_message(job, target_of(job, job.spec.tpu.first_placement)))


def queued_for(job_factory, **tpu):
    job = job_with(job_factory, allocation_mode="queued-resources", **tpu)
    return tpu_v2.QueuedResource(queued_message(job, target_of(job, job.spec.tpu.first_placement), PARENT))


def test_network_identity_and_disks_of_a_node(job_factory):
    node = node_for(
        job_factory,
        network="net",
        subnetwork="sub",
        external_ips=False,
        service_account="me@p.iam.gserviceaccount.com",
        scopes=["cloud-platform"],
        data_disks=[{"source": "data", "mode": "read-only"}, {"source": "projects/q/zones/z/disks/d"}],
        tags=["a"],
    )
    assert (node.network_config.network, node.network_config.subnetwork) == ("net", "sub")
    assert not node.network_config.enable_external_ips
    assert node.service_account.email == "me@p.iam.gserviceaccount.com"
    assert list(node.service_account.scope) == ["https://www.googleapis.com/auth/cloud-platform"]
    assert [disk.source_disk for disk in node.data_disks] == [
        "projects/test-project/zones/us-west4-a/disks/data",
        "projects/q/zones/z/disks/d",
    ]
    assert [disk.mode.name for disk in node.data_disks] == ["READ_ONLY", "READ_WRITE"]
    assert list(node.tags) == ["a"]


@pytest.mark.parametrize(
    ("tpu", "expected"),
    [
        ({}, (False, False, False)),
        ({"pricing": "spot"}, (True, False, False)),
        ({"pricing": "preemptible"}, (False, True, False)),
        ({"reserved": True}, (False, False, True)),
        ({"reservation": "mine"}, (False, False, True)),
    ],
)
def test_how_a_node_is_paid_for(job_factory, tpu, expected):
    found = node_for(job_factory, **tpu).scheduling_config
    assert (found.spot, found.preemptible, found.reserved) == expected


def test_the_runtime_version_goes_with_the_type(job_factory):
    assert node_for(job_factory).runtime_version == "v2-alpha-tpuv5-lite"
    assert node_for(job_factory, accelerator="v6e-8", zone="us-east1-d").runtime_version == "v2-alpha-tpuv6e"
    assert node_for(job_factory, version="mine").runtime_version == "mine"


def test_a_startup_script_that_is_not_there_is_named(job_factory):
    with pytest.raises(ConfigError, match=r"tpu\.startup_script: cannot read .*boot\.sh"):
        node_for(job_factory, startup_script="boot.sh")


def test_a_queued_resource_of_one_slice_and_of_several(job_factory):
    (one,) = queued_for(job_factory).tpu.node_spec
    assert (one.parent, one.node_id, one.multislice_params.node_count) == (PARENT, "tester-test-0000", 0)
    (many,) = queued_for(job_factory, slices=3).tpu.node_spec
    assert (many.node_id, many.multislice_params.node_count) == ("", 3)
    assert many.multislice_params.node_id_prefix == "tester-test-0000"


def test_a_reservation_is_named_in_full(job_factory):
    found = queued_for(job_factory, reservation="mine")
    assert found.reservation_name == f"{PARENT}/reservations/mine"
    assert "guaranteed" in found
    assert found.tpu.node_spec[0].node.scheduling_config.reserved
    whole = "projects/q/locations/us-west4-a/reservations/theirs"
    assert queued_for(job_factory, reservation=whole).reservation_name == whole
    assert queued_for(job_factory).reservation_name == ""


def test_the_end_of_the_wait_is_a_time_or_a_duration(job_factory):
    after = queued_for(job_factory, valid_until="6h").queueing_policy
    assert after.valid_until_duration.total_seconds() == 6 * 3600
    at = queued_for(job_factory, valid_until="2099-12-01T08:00:00Z").queueing_policy
    assert at.valid_until_time == datetime(2099, 12, 1, 8, tzinfo=UTC)
    assert "queueing_policy" not in queued_for(job_factory)


def test_every_state_of_a_queued_resource_has_an_action():
    states = {state.name for state in tpu_v2.QueuedResourceState.State}
    assert set(ACTIONS) == states
    assert {state for state, action in ACTIONS.items() if action not in PHASES} == {
        "FAILED",
        "SUSPENDING",
        "SUSPENDED",
        "DELETING",
    }


def test_names_tell_types_and_attempts_apart_and_are_never_too_long(job_factory):
    job = job_factory(
        {
            "tpu": {"accelerators": ["v5litepod-16", "v5litepod-8"], "zone": "us-west4-a", "name": "n" * 40},
            "command": {"cmd": "true"},
        }
    )
    job = replace(job, attempt=Attempt(number=12))
    names = {target_of(job, placement).name for placement in job.spec.tpu.every_placement()}
    assert names == {"n" * 40 + "-v5litepod-16-12", "n" * 40 + "-v5litepod-8-12"}
    several = replace(
        job, spec=job.spec.model_copy(update={"tpu": job.spec.tpu.model_copy(update={"slices": 300})})
    )
    target = target_of(several, several.spec.tpu.first_placement)
    assert max(map(len, target.node_ids)) <= 63
    assert target.node_ids[-1] == f"{target.name}-299"
