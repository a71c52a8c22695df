"""The same again: what can be asked for, and nothing of what the API filled in."""

from __future__ import annotations

import pytest
from google.cloud.tpu_v2 import Node, QueuedResource

from tpuherd.fleet.drafts import Draft, Drafts
from tpuherd.fleet.making import message_of, owner_of
from tpuherd.fleet.orders import order_again
from tpuherd.fleet.tpu import Kind

ASKED = {
    "accelerator_type": "v5litepod-16",
    "runtime_version": "v2-alpha-tpuv5-lite",
    "network_config": {"network": "lab", "subnetwork": "lab-1", "enable_external_ips": True},
    "service_account": {"email": "a@b", "scope": ["s"]},
    "scheduling_config": {"spot": True},
    "labels": {"tpuherd-owner": "ada", "team": "x"},
    "metadata": {"startup-script": "true"},
    "tags": ["t"],
    "data_disks": [{"source_disk": "projects/p/zones/z/disks/d", "mode": "READ_ONLY"}],
    "description": "mine",
}
FILLED = {
    "state": "PREEMPTED",
    "health": "TIMEOUT",
    "health_description": "gone",
    "network_endpoints": [{"ip_address": "10.0.0.1"}],
    "id": 7,
    "symptoms": [{"symptom_type": "LOW_MEMORY"}],
    "cidr_block": "10.0.0.0/29",
    "api_version": "V2",
    "queued_resource": "projects/p/locations/z/queuedResources/q",
    "accelerator_config": {"type_": "V5LITE_POD", "topology": "4x4"},
    "network_configs": [{"network": "lab"}],
}
NAME = "projects/p/locations/us-west4-a/nodes/a"


def test_a_node():
    order = order_again(Node({**ASKED, **FILLED, "name": NAME}))
    assert (order.kind, order.zone, order.name, owner_of(order)) == (Kind.NODE, "us-west4-a", "a", "ada")
    assert message_of(order) == Node(ASKED)


def test_a_node_of_an_unusual_topology_keeps_that_instead_of_the_type():
    config = {"type_": "V4", "topology": "2x2x8"}
    order = order_again(Node({"name": NAME, "accelerator_type": "v4-64", "accelerator_config": config}))
    assert message_of(order) == Node(accelerator_config=config)


@pytest.mark.parametrize("tier", [{"spot": {}}, {"guaranteed": {}, "reservation_name": "r"}, {}])
def test_a_queued_resource(tier):
    several = {"multislice_params": {"node_count": 2, "node_id_prefix": "q"}}
    spec = {"parent": "projects/p/locations/us-west4-a", **several}
    asked = {"tpu": {"node_spec": [{**spec, "node": ASKED}]}, **tier}
    there = QueuedResource(asked)
    there.name = "projects/p/locations/us-west4-a/queuedResources/q"
    there.state.state = "SUSPENDED"
    there.queueing_policy = {"valid_until_duration": {"seconds": 60}}
    there.tpu.node_spec[0].node.cidr_block = "10.0.0.0/29"
    order = order_again(there)
    assert (order.kind, order.name, owner_of(order)) == (Kind.QUEUED_RESOURCE, "q", "ada")
    assert message_of(order) == QueuedResource(asked)


def test_drafts_are_kept_for_their_user_only_and_forgotten(tmp_path, monkeypatch):
    monkeypatch.setenv("TPUHERD_HOME", str(tmp_path))
    drafts, order = Drafts("project"), order_again(Node({**ASKED, "name": NAME}))
    assert drafts.all() == []
    drafts.save(Draft(order=order, replaces=("7",)))
    (path,) = tmp_path.glob("fleet/project/*.json")
    assert path.stat().st_mode & 0o77 == 0
    assert drafts.find("a") == drafts.find("a", "us-west4-a") == [Draft(order=order, replaces=("7",))]
    assert drafts.find("a", "us-east1-c") == drafts.find("b") == []
    drafts.drop(order)
    assert drafts.all() == []
