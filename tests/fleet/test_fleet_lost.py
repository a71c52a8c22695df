"""TPUs that were taken away, that are not well, and that are going to be maintained."""

from __future__ import annotations

import json

import pytest
from clouded import eventually

from .fleet_home import OTHER_ZONE, ZONE

pytestmark = pytest.mark.slow


def lose(fleet, name, owner="ada", zone=ZONE, **labels):
    fleet.make(name, zone, owner=owner, **labels)
    with fleet.control() as control:
        control.preempt(name, notice_s=0)
    eventually(lambda: fleet.states()[name] == "PREEMPTED", 60)


def test_all_of_ours_are_made_again_and_nothing_else(fleet):
    lose(fleet, "mine-1")
    lose(fleet, "mine-2", zone=OTHER_ZONE)
    lose(fleet, "bobs", owner="bob")
    lose(fleet, "of-a-job", **{"tpuherd-job": "job-elsewhere"})
    fleet.make("alive", owner="ada")
    before = {name: fleet.incarnation(name) for name in ("mine-1", "bobs", "of-a-job", "alive")}
    wanted = [f"node mine-1@{ZONE}", f"node mine-2@{OTHER_ZONE}"]
    dry = fleet.ends_with(0, "tpus.recreate-preempted", "--dry-run", "--json")
    assert sorted(json.loads(dry.stdout)["recreated"]) == wanted
    assert "of-a-job" in dry.stderr
    assert "add --yes" in fleet.ends_with(3, "tpus.recreate-preempted").stderr
    assert before["mine-1"] == fleet.incarnation("mine-1")
    done = json.loads(fleet.ok("tpus.recreate-preempted", "--yes", "--json"))
    assert sorted(done["recreated"]) == wanted
    assert fleet.states()["mine-1"] == "READY"
    after = {name: fleet.incarnation(name) for name in before}
    assert after["mine-1"] != before.pop("mine-1")
    assert {name: after[name] for name in before} == before
    assert not list(fleet.home.glob("fleet/*/*.json"))


def test_a_suspended_queued_resource_is_made_again_as_a_whole(fleet):
    fleet.ok("tpus.create", "v5e-1", "--zone", ZONE, "--name", "queue", "--queued", "--slices", "2", "--spot")
    with fleet.control() as control:
        control.fault("suspended-queue", node="queue")
    eventually(lambda: fleet.states().get("queue-0") != "READY", 60)
    fleet.ok("tpus.reapply", "queue", "--yes")
    assert {fleet.states()[name] for name in ("queue-0", "queue-1")} == {"READY"}


def test_one_that_was_lost_can_neither_start_nor_be_found(fleet):
    lose(fleet, "gone")
    assert "is PREEMPTED" in fleet.ends_with(10, "tpus.start", "gone").stderr
    fleet.ends_with(14, "tpus.find", "gone")
    row = fleet.rows("gone")["gone"]
    assert (row["free"], row["billed"]) == (False, False)


def test_health_and_symptoms_are_shown_and_keep_it_from_being_found(fleet):
    fleet.make("sick", owner="ada", accelerator="v5litepod-8")
    with fleet.control() as control:
        control.fault("unhealthy", node="sick", value="UNHEALTHY_MAINTENANCE", text="it will be back")
        control.fault("symptom", node="sick", value="OUT_OF_MEMORY", worker=0, text="too much")
    eventually(lambda: fleet.rows("sick")["sick"]["symptoms"], 60)
    shown = fleet.ok("tpus.describe", "sick")
    for text in ("UNHEALTHY_MAINTENANCE it will be back", "OUT_OF_MEMORY", "too much"):
        assert text in shown
    assert "UNHEALTHY_MAINTENANCE OUT_OF_MEMORY" in fleet.ok("tpus", "sick")
    fleet.ends_with(14, "tpus.find", "sick", "--healthy")
    fleet.ok("tpus.find", "sick")


def test_announced_maintenance_is_shown_and_can_be_begun(fleet):
    fleet.make("tended", owner="ada")
    with fleet.control() as control:
        control.fault("maintenance", node="tended", notice_s=3600, delay_s=1)
    events = eventually(lambda: json.loads(fleet.ok("tpus.maintenance", "--json"))["events"], 60)
    assert [(event["node"], event["zone"], event["status"]) for event in events] == [
        ("tended", ZONE, "PENDING")
    ]
    assert events[0]["begins"]
    assert "tended" in fleet.ok("tpus.maintenance", "--zone", ZONE)
    assert "PENDING" in fleet.ok("tpus.describe", "tended")
    fleet.ok("tpus.perform-maintenance", "tended", "--yes")
    eventually(lambda: fleet.states()["tended"] == "READY", 60)


def test_a_refusal_of_the_cloud_says_what_to_do(fleet):
    with fleet.control() as control:
        control.fault("stockout", zone=OTHER_ZONE)
        try:
            done = fleet.ends_with(5, "tpus.create", "v5e-1", "--zone", OTHER_ZONE, "--name", "none")
        finally:
            control.clear()
    assert "no more capacity" in done.stderr
    assert "none" not in fleet.states()
