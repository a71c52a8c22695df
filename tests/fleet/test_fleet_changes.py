"""The `tpus` commands that change something, in processes of their own."""

from __future__ import annotations

import json

import pytest

from tpuherd.cloud.client import TpuApi
from tpuherd.fleet.deleting import Target
from tpuherd.fleet.drafts import Draft, Drafts
from tpuherd.fleet.orders import order_again
from tpuherd.fleet.reading import read_fleet
from tpuherd.fleet.remaking import remake

from .fleet_home import OTHER_ZONE, ZONE

pytestmark = pytest.mark.slow


def test_create_takes_the_smallest_free_number_and_goes_on_with_a_name(fleet):
    first = json.loads(fleet.ok("tpus.create", "v5e-1", "--zone", ZONE, "--json"))
    assert first == {"name": "ada-v5litepod-1-0", "zone": ZONE, "kind": "node", "ready": True}
    second = json.loads(fleet.ok("tpus.create", "v5e-1", "--zone", ZONE, "--json"))
    assert second["name"] == "ada-v5litepod-1-1"
    number = fleet.incarnation("ada-v5litepod-1-0")
    again = fleet.ends_with(0, "tpus.create", "v5e-1", "--zone", ZONE, "--name", "ada-v5litepod-1-0")
    assert "is there already" in again.stderr
    assert fleet.incarnation("ada-v5litepod-1-0") == number


def test_create_never_takes_what_is_there_for_something_else(fleet):
    fleet.make("taken", owner="bob")
    assert (
        "is not yours"
        in fleet.ends_with(10, "tpus.create", "v5e-1", "--zone", ZONE, "--name", "taken").stderr
    )
    fleet.ok("tpus.create", "v5e-1", "--zone", ZONE, "--name", "small")
    larger = fleet.ends_with(10, "tpus.create", "v5e-8", "--zone", ZONE, "--name", "small")
    assert "exists already as v5litepod-1, not v5litepod-8" in larger.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("v5e-9", "--zone", ZONE), "nearest: v5litepod-8"),
        (("tpu7x-8", "--zone", "us-central1-c"), "only GKE"),
        (("v5e-8",), "--zone is missing"),
        (("v5e-8", "--zone", "mars"), "no zone"),
        (("v5e-8", "--zone", "us-central2-b"), "does not sell v5litepod-8"),
        (("v5e-8", "--zone", ZONE, "--slices", "2"), "add --queued"),
        (("v5e-8", "--zone", ZONE, "--tier", "spott"), "did you mean 'spot'"),
        (("v5e-8", "--zone", ZONE, "--ttl", "soon"), "--ttl=soon"),
        (("v5e-8", "--zone", ZONE, "--name", "No"), "--name=No"),
    ],
)
def test_create_refuses_before_it_asks(fleet, words, says):
    before = fleet.states()
    assert says in fleet.ends_with(3, "tpus.create", *words).stderr
    assert fleet.states() == before


def test_a_queued_multislice_is_made_and_deleted_as_one(fleet):
    fleet.ok(
        "tpus.create", "v5e-16", "--zone", ZONE, "--name", "multi", "--queued", "--slices", "2", "--spot"
    )
    assert {"multi-0", "multi-1"} <= set(fleet.states())
    assert fleet.rows("multi-0")["multi-0"]["tier"] == "spot"
    asked = fleet.ends_with(3, "tpus.delete", "multi")
    assert f"queued resource multi@{ZONE} with multi-0@{ZONE}, multi-1@{ZONE}" in asked.stderr
    deleted = json.loads(fleet.ok("tpus.delete", "multi-1", "--yes", "--json"))
    assert deleted == {"deleted": [f"queued resource multi@{ZONE}"]}
    assert not {"multi-0", "multi-1"} & set(fleet.states())
    assert TpuApi(fleet.reached, ZONE).get("get_queued_resource", "queuedResources/multi") is None


def test_delete_touches_only_what_was_named_and_is_ours(fleet):
    fleet.make("ada-decoy")
    fleet.make("bobs", owner="bob")
    fleet.make("mine", owner="ada")
    fleet.make("mine", OTHER_ZONE, owner="ada")
    assert "made without tpuherd" in fleet.ends_with(10, "tpus.delete", "ada-decoy", "--yes").stderr
    assert "bobs@" in fleet.ends_with(10, "tpus.delete", "bobs", "mine@us-west4-a", "--yes").stderr
    assert "--force --yes" in fleet.ends_with(10, "tpus.delete", "bobs", "--force").stderr
    assert "add --yes" in fleet.ends_with(3, "tpus.delete", f"mine@{ZONE}").stderr
    assert "write NAME@ZONE" in fleet.ends_with(10, "tpus.delete", "mine", "--yes").stderr
    assert {"ada-decoy", "bobs", "mine"} <= set(fleet.states())
    fleet.ok("tpus.delete", f"mine@{OTHER_ZONE}", "--yes")
    assert fleet.rows("mine")["mine"]["zone"] == ZONE
    fleet.ok("tpus.delete", "bobs", "--force", "--yes")
    assert "bobs" not in fleet.states()
    assert "there is no TPU 'bobs'" in fleet.ends_with(10, "tpus.delete", "bobs", "--yes").stderr


def test_stop_and_start(fleet):
    fleet.ok("tpus.create", "v5e-1", "--zone", ZONE, "--name", "sleeper")
    fleet.make("wide", accelerator="v5litepod-16", owner="ada")
    assert "4 workers" in fleet.ends_with(10, "tpus.stop", "wide", "--yes").stderr
    fleet.ok("tpus.stop", "sleeper", "--yes")
    assert fleet.states()["sleeper"] == "STOPPED"
    assert fleet.rows("sleeper")["sleeper"]["billed"] is False
    fleet.ok("tpus.stop", "sleeper", "--yes")
    fleet.ok("tpus.start", "sleeper")
    assert fleet.states()["sleeper"] == "READY"


def test_reapply_makes_the_same_again(fleet):
    fleet.ok("tpus.create", "v5e-1", "--zone", ZONE, "--name", "again", "--spot", "--ttl", "3h")
    before, number = fleet.rows("again")["again"], fleet.incarnation("again")
    fleet.ok("tpus.reapply", "again", "--yes")
    after = fleet.rows("again")["again"]
    assert fleet.incarnation("again") != number
    assert all(after[key] == before[key] for key in ("accelerator", "labels", "tier", "zone"))
    fleet.make("bobs-own", owner="bob")
    assert "not yours" in fleet.ends_with(10, "tpus.reapply", "bobs-own", "--yes").stderr
    assert not list(fleet.home.glob("fleet/*/*.json"))


def test_reapply_goes_on_after_it_was_killed_between_delete_and_create(fleet, monkeypatch):
    monkeypatch.setenv("TPUHERD_HOME", str(fleet.home))
    fleet.ok("tpus.create", "v5e-1", "--zone", ZONE, "--name", "killed")
    api = TpuApi(fleet.reached, ZONE)
    node = api.get("get_node", "nodes/killed")
    Drafts(fleet.reached.project).save(Draft(order=order_again(node), replaces=(str(node.id),)))
    fleet.ok("tpus.delete", "killed", "--yes")
    assert "killed" in fleet.ok("tpus.recreate-preempted", "--dry-run", "--json")
    fleet.ok("tpus.reapply", "killed")
    again = api.get("get_node", "nodes/killed")
    assert (again.state.name, dict(again.labels)) == ("READY", dict(node.labels))
    assert not list(fleet.home.glob("fleet/*/*.json"))


def test_what_an_interrupted_call_has_made_anew_is_not_deleted_again(fleet, monkeypatch):
    monkeypatch.setenv("TPUHERD_HOME", str(fleet.home))
    fleet.ok("tpus.create", "v5e-1", "--zone", ZONE, "--name", "renewed")
    (row,) = (tpu for tpu in read_fleet(fleet.reached).tpus if tpu.name == "renewed")
    order = order_again(TpuApi(fleet.reached, ZONE).get("get_node", "nodes/renewed"))
    Drafts(fleet.reached.project).save(Draft(order=order, replaces=("an older one",)))
    target = Target(kind=row.kind, name=row.name, zone=row.zone, rows=(row,))
    remake(fleet.reached, target, timeout_s=60, note=lambda _: None)
    assert fleet.incarnation("renewed") == row.incarnation
    assert Drafts(fleet.reached.project).all() == []


def test_maintenance_can_be_rehearsed(fleet):
    fleet.ok("tpus.create", "v5e-1", "--zone", ZONE, "--name", "tended")
    assert "What runs there ends" in fleet.ends_with(3, "tpus.simulate-maintenance", "tended").stderr
    beyond = fleet.ends_with(3, "tpus.simulate-maintenance", "tended", "--worker", "1", "--yes")
    assert "workers 0 to 0" in beyond.stderr
    done = json.loads(fleet.ok("tpus.simulate-maintenance", "tended", "--yes", "--json"))
    assert done["maintenance"] == "simulated"
