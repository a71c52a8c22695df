"""Deleting looks again: what has changed since it was shown stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tpuherd.cloud.client import TpuApi
from tpuherd.errors import StateError
from tpuherd.fleet.deleting import Target, delete, targets
from tpuherd.fleet.reading import read_fleet

from .fleet_home import ZONE


def shown(fleet, name):
    """A target as a user has seen it."""
    found = read_fleet(fleet.reached).tpus
    (target,) = targets([tpu for tpu in found if name in (tpu.name, tpu.queued_resource)], found)
    return target


def remove(fleet, target: Target):
    delete(fleet.reached, target, wait=True, timeout_s=60, note=lambda _: None)


def test_another_of_the_same_name_stays(fleet):
    fleet.make("heir", owner="ada")
    before = shown(fleet, "heir")
    remove(fleet, before)
    fleet.make("heir", owner="ada")
    with pytest.raises(StateError, match="has changed since it was read"):
        remove(fleet, before)
    assert fleet.states()["heir"] == "READY"


def test_one_that_has_another_owner_now_stays(fleet):
    fleet.make("sold", owner="ada")
    before = shown(fleet, "sold")
    api = TpuApi(fleet.reached, ZONE)
    changed = {"name": f"{api.parent}/nodes/sold", "labels": {"tpuherd-owner": "bob"}}
    api.change("update_node", node=changed, update_mask={"paths": ["labels"]}).result(timeout=60)
    with pytest.raises(StateError, match="has changed"):
        remove(fleet, before)
    assert fleet.states()["sold"] == "READY"


def queue(fleet, name, owner):
    api = TpuApi(fleet.reached, ZONE)
    labels = {"tpuherd-owner": owner}
    node = {"accelerator_type": "v5litepod-1", "runtime_version": "v2-alpha-tpuv5-lite", "labels": labels}
    spec = {"parent": api.parent, "node_id": f"{name}-node", "node": node}
    resource = {"tpu": {"node_spec": [spec]}}
    request = {"parent": api.parent, "queued_resource_id": name, "queued_resource": resource}
    api.change("create_queued_resource", **request).result(timeout=60)


@pytest.mark.parametrize("heir", ["bob", "ada"])
def test_a_queued_resource_that_another_has_replaced_stays(fleet, heir):
    queue(fleet, "line", "ada")
    before = shown(fleet, "line")
    remove(fleet, before)
    queue(fleet, "line", heir)
    assert TpuApi(fleet.reached, ZONE).get("get_queued_resource", "queuedResources/line")
    unseen = replace(before, rows=tuple(replace(row, name="long-gone") for row in before.rows))
    if before.rows[0].kind.value == "node":  # its nodes may not have been there yet when it was shown
        with pytest.raises(StateError, match="has changed"):
            remove(fleet, unseen)
    with pytest.raises(StateError, match="has changed"):
        remove(fleet, before)
    assert TpuApi(fleet.reached, ZONE).get("get_queued_resource", "queuedResources/line")
    remove(fleet, shown(fleet, "line"))


def test_what_has_gone_already_is_deleted(fleet):
    fleet.make("past", owner="ada")
    before = shown(fleet, "past")
    remove(fleet, before)
    remove(fleet, before)
    assert "past" not in fleet.states()
