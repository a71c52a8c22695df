from __future__ import annotations

from datetime import UTC, datetime

import pytest
from driven import driven, error_of, shared
from google.api_core import exceptions
from google.cloud import tpu_v2

from tpuherd.errors import ConfigError

__all__ = ["driven", "shared"]

ZONE = "us-central1-a"
CHIPS = 16
"""Of one v5litepod-16."""


def test_creations_take_capacity_and_deletions_give_it_back(driven):
    driven.control.capacity(ZONE, CHIPS, generation="v5e")
    driven.ready("first")
    refused = driven.create("second")
    driven.tick(10)
    assert isinstance(error_of(refused), exceptions.ResourceExhausted)
    assert "no more capacity" in error_of(refused).message
    driven.remove("first")
    driven.tick(5)
    driven.ready("third")
    (row,) = driven.control.limits()
    assert (row.limit, row.place, row.generation, row.chips, row.used) == ("capacity", ZONE, "v5e", 16, 16)


def test_markets_and_zones_have_capacity_of_their_own(driven):
    driven.control.capacity(ZONE, 0, generation="v5e", market="spot")
    driven.create("spot", scheduling_config=tpu_v2.SchedulingConfig(spot=True))
    driven.create("east", zone="us-east1-c", scheduling_config=tpu_v2.SchedulingConfig(spot=True))
    driven.ready("firm")
    assert driven.state("spot") == "gone"
    assert driven.tpu.get_node(name=f"{driven.zone('us-east1-c')}/nodes/east").state.name == "READY"


def test_a_preempted_node_holds_quota_and_no_capacity(driven):
    driven.control.capacity(ZONE, CHIPS)
    driven.control.quota("us-central1", 2 * CHIPS, generation="v5e")
    driven.ready("first")
    driven.control.preempt("first", notice_s=0)
    driven.tick(1)
    assert driven.state("first") == "PREEMPTED"
    driven.ready("second")
    with pytest.raises(exceptions.ResourceExhausted, match=r"PerRegionForTPUAPI' exhausted\. Limit 32 in "):
        driven.create("third")
    driven.remove("first")
    driven.remove("second")
    driven.tick(5)
    driven.ready("third")


def test_a_stopped_node_needs_capacity_to_start_again(driven):
    driven.control.capacity(ZONE, 8, generation="v5e")
    driven.ready("one", accelerator="v5litepod-8")
    driven.tpu.stop_node(request={"name": f"{driven.parent}/nodes/one"})
    driven.tick(5)
    driven.ready("two", accelerator="v5litepod-8")
    operation = driven.tpu.start_node(request={"name": f"{driven.parent}/nodes/one"})
    driven.tick(10)
    assert "no more capacity" in error_of(operation).message
    assert driven.state("one") == "STOPPED"
    driven.remove("two")
    driven.tick(5)
    driven.tpu.start_node(request={"name": f"{driven.parent}/nodes/one"})
    driven.tick(10)
    assert driven.state("one") == "READY"


def test_queued_resources_wait_for_capacity_and_are_served_in_order(driven):
    driven.control.capacity(ZONE, 0, generation="v5e")
    for name in ("first", "second", "third"):
        driven.enqueue(name)
    driven.tick(10_000)
    states = {driven.queue_state(name) for name in ("first", "second", "third")}
    assert states == {"WAITING_FOR_RESOURCES"}
    assert driven.state("first") == "gone"
    driven.control.capacity(ZONE, 2 * CHIPS, generation="v5e")
    driven.tick(100)
    assert [driven.queue_state(name) for name in ("first", "second", "third")] == [
        "ACTIVE", "ACTIVE", "WAITING_FOR_RESOURCES",
    ]  # fmt: skip
    driven.dequeue("first", force=True)
    driven.tick(100)
    assert driven.queue_state("third") == "ACTIVE"


def test_who_does_not_fit_keeps_others_from_its_chips_only(driven):
    driven.control.capacity(ZONE, CHIPS, generation="v5e")
    driven.control.capacity(ZONE, 64, generation="v6e")
    driven.enqueue("large", nodes=2)
    driven.enqueue("small")
    driven.enqueue("other", accelerator="v6e-8")
    driven.tick(1000)
    assert [driven.queue_state(name) for name in ("large", "small", "other")] == [
        "WAITING_FOR_RESOURCES", "WAITING_FOR_RESOURCES", "ACTIVE",
    ]  # fmt: skip


def test_a_stockout_makes_queued_resources_wait_until_it_is_over(driven):
    driven.control.fault("stockout", zone=ZONE)
    driven.enqueue("q")
    driven.tick(1000)
    assert driven.queue_state("q") == "WAITING_FOR_RESOURCES"
    driven.control.clear("stockout")
    driven.tick(100)
    assert driven.queue_state("q") == "ACTIVE"


def test_many_can_wait_for_the_end_of_a_stockout(driven):
    driven.control.fault("stockout")
    for name, accelerator in (("a", "v5litepod-16"), ("b", "v6e-8"), ("c", "v5p-8")):
        driven.enqueue(name, accelerator=accelerator)
    later = datetime.fromtimestamp(driven.control.time().time + 90_000, UTC)
    driven.enqueue("e", queueing_policy={"valid_after_time": later})
    driven.tick(86_400)
    assert {driven.queue_state(name) for name in "abce"} == {"WAITING_FOR_RESOURCES"}
    driven.control.clear()
    driven.tick(100)
    assert {driven.queue_state(name) for name in "abc"} == {"ACTIVE"}
    driven.tick(4000)
    assert driven.queue_state("e") == "ACTIVE"


def test_it_fails_when_it_is_no_longer_valid(driven):
    driven.control.capacity(ZONE, 0)
    driven.enqueue("q", queueing_policy={"valid_until_duration": {"seconds": 3600}})
    driven.tick(3599)
    assert driven.queue_state("q") == "WAITING_FOR_RESOURCES"
    driven.tick(1)
    assert driven.queue_state("q") == "FAILED"
    assert "expired" in driven.queue("q").failed_data.error.message
    driven.control.capacity(ZONE, 1000)
    driven.tick(1000)
    assert driven.queue_state("q") == "FAILED"
    driven.dequeue("q", force=False)
    driven.tick(100)
    assert driven.queue_state("q") == "gone"


def test_it_is_not_served_before_it_is_valid(driven):
    start = datetime.fromtimestamp(driven.control.time().time + 3600, UTC)
    driven.enqueue("q", queueing_policy={"valid_after_time": start})
    driven.tick(3500)
    assert driven.queue_state("q") == "WAITING_FOR_RESOURCES"
    driven.tick(200)
    assert driven.queue_state("q") == "ACTIVE"


def test_preempted_by_the_service_it_is_suspended_and_holds_quota_until_it_is_deleted(driven):
    driven.control.quota("us-central1", CHIPS, generation="v5e", market="spot")
    driven.enqueue("q")
    driven.tick(100)
    assert driven.queue_state("q") == "ACTIVE"
    assert driven.find("q").scheduling_config.spot
    driven.control.preempt("q", notice_s=0)
    driven.tick(1)
    state = driven.queue("q")
    assert (state.state.name, state.state_initiator.name) == ("SUSPENDING", "SERVICE")
    assert driven.state("q") == "PREEMPTED"
    driven.tick(100)
    state = driven.queue("q")
    assert (state.state.name, state.state_initiator.name) == ("SUSPENDED", "SERVICE")
    assert driven.state("q") == "gone"
    with pytest.raises(exceptions.ResourceExhausted, match="TPUV5EPreemptiblePod"):
        driven.enqueue("again")
    driven.dequeue("q", force=False)
    driven.tick(100)
    driven.enqueue("again")


def test_our_own_deletion_of_its_node_is_told_apart(driven):
    driven.enqueue("q")
    driven.tick(100)
    driven.remove("q")
    driven.tick(100)
    state = driven.queue("q")
    assert (state.state.name, state.state_initiator.name) == ("SUSPENDED", "USER")


def test_the_queue_itself_can_be_suspended(driven):
    driven.enqueue("q")
    driven.tick(100)
    driven.control.fault("suspended-queue", node="q")
    driven.tick(100)
    assert driven.queue_state("q") == "SUSPENDED"
    driven.tpu.reset_queued_resource(name=f"{driven.parent}/queuedResources/q")
    driven.tick(100)
    assert driven.queue_state("q") == "ACTIVE"


def test_a_multislice_that_loses_one_slice_keeps_the_other(driven):
    driven.enqueue("multi", nodes=2)
    driven.tick(100)
    assert driven.queue_state("multi") == "ACTIVE"
    driven.control.preempt("multi-1", notice_s=0)
    driven.tick(100)
    assert (driven.state("multi-0"), driven.state("multi-1")) == ("READY", "PREEMPTED")
    assert driven.queue_state("multi") == "ACTIVE"
    driven.control.preempt("multi-0", notice_s=0)
    driven.tick(100)
    assert driven.queue_state("multi") == "SUSPENDED"


def test_a_multislice_that_comes_up_in_parts(driven):
    driven.control.fault("slow-operation", node="multi-1", method="CreateNode", delay_s=3600)
    driven.enqueue("multi", nodes=2)
    driven.tick(1000)
    assert (driven.state("multi-0"), driven.state("multi-1")) == ("READY", "CREATING")
    assert driven.queue_state("multi") == "PROVISIONING"
    driven.tick(3600)
    assert driven.queue_state("multi") == "ACTIVE"


def test_a_multislice_of_which_one_slice_fails_fails(driven):
    driven.control.fault("preempted-in-creation", node="multi-1")
    driven.enqueue("multi", nodes=2)
    driven.tick(1000)
    assert driven.queue_state("multi") == "FAILED"
    assert "while in state PREEMPTED" in driven.queue("multi").failed_data.error.message
    assert (driven.state("multi-0"), driven.state("multi-1")) == ("gone", "gone")


def test_no_quota_left_when_its_turn_comes(driven):
    driven.control.capacity(ZONE, 0, generation="v5e")
    driven.control.quota("us-central1", CHIPS, generation="v5e")
    driven.enqueue("q")
    driven.tick(100)
    driven.control.quota("us-central1", 0, generation="v5e")
    driven.control.capacity(ZONE, 100, generation="v5e")
    driven.tick(100)
    assert driven.queue_state("q") == "FAILED"
    assert driven.queue("q").failed_data.error.code == 8


def test_a_deletion_that_is_slow_and_one_that_is_stuck(driven):
    driven.enqueue("slow")
    driven.enqueue("stuck")
    driven.tick(100)
    driven.control.fault("slow-operation", node="slow", method="DeleteQueuedResource", delay_s=600)
    driven.control.fault("stuck", node="stuck", method="DeleteQueuedResource")
    for name in ("slow", "stuck"):
        driven.dequeue(name, force=True)
    driven.tick(600)
    assert [driven.queue_state(name) for name in ("slow", "stuck")] == ["DELETING", "DELETING"]
    driven.tick(10)
    assert [driven.queue_state(name) for name in ("slow", "stuck")] == ["gone", "DELETING"]
    driven.control.heal("stuck")
    driven.tick(100)
    assert driven.queue_state("stuck") == "gone"


@pytest.mark.slow
def test_a_thousand_workers_come_and_go(driven):
    for number in range(256):
        driven.create(f"n{number}")
    driven.tick(10)
    nodes = list(driven.tpu.list_nodes(parent=driven.parent))
    assert {node.state.name for node in nodes} == {"READY"}
    assert len({end.ip_address for node in nodes for end in node.network_endpoints}) == 1024
    for number in range(256):
        driven.remove(f"n{number}")
    driven.tick(5)
    assert not list(driven.tpu.list_nodes(parent=driven.parent))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"place": "us-central1-a", "chips": -1}, "chips -1"),
        ({"place": "somewhere", "chips": 1}, "place 'somewhere'"),
        ({"place": "us-central1", "chips": 1, "generation": "v5"}, "generation 'v5'"),
        ({"place": "us-central1", "chips": 1, "market": "spott"}, "did you mean 'spot'"),
    ],
)
def test_what_is_no_limit(driven, settings, text):
    with pytest.raises(ConfigError, match=text):
        driven.control.capacity(**settings)
