from __future__ import annotations

import time

import pytest
from driven import driven, driving, error_of, shared
from google.api_core import exceptions
from google.cloud import tpu_v2, tpu_v2alpha1

from tpuherd.errors import ConfigError

__all__ = ["driven", "shared"]

SPOT = {"scheduling_config": tpu_v2.SchedulingConfig(spot=True)}


def test_a_preempted_node_stays_listed_until_it_is_deleted(driven):
    driven.ready("n", **SPOT)
    driven.control.preempt("n", notice_s=30)
    driven.tick(29)
    assert driven.state("n") == "READY"
    driven.tick(1)
    assert driven.state("n") == "PREEMPTED"
    driven.tick(100_000)
    assert driven.state("n") == "PREEMPTED"
    with pytest.raises(exceptions.AlreadyExists):
        driven.create("n")
    driven.remove("n")
    driven.tick(5)
    assert driven.state("n") == "gone"


def test_preempted_during_creation(driven):
    operation = driven.create("n", **SPOT)
    driven.control.preempt("n", notice_s=0)
    driven.tick(10)
    assert driven.state("n") == "PREEMPTED"
    error = error_of(operation)
    assert isinstance(error, exceptions.InvalidArgument)
    assert "update is not supported while in state PREEMPTED [EID: 0x" in error.message


def test_the_life_of_a_preemptible_node_ends_after_a_day_and_that_of_a_spot_node_does_not(driven):
    driven.ready("legacy", scheduling_config=tpu_v2.SchedulingConfig(preemptible=True))
    driven.ready("spot", **SPOT)
    driven.tick(86_000)
    assert driven.state("legacy") == "READY"
    driven.tick(1000)
    assert (driven.state("legacy"), driven.state("spot")) == ("TERMINATED", "READY")


@pytest.mark.parametrize(
    ("kind", "state"),
    [("repairing", "REPAIRING"), ("restarting", "RESTARTING"), ("reimaging", "REIMAGING")],
)
def test_nodes_come_back_from(driven, kind, state):
    driven.ready("n")
    driven.control.fault(kind, node="n", delay_s=60)
    driven.tick(59)
    assert driven.state("n") == state
    driven.tick(2)
    assert driven.state("n") == "READY"


@pytest.mark.parametrize(
    ("kind", "value", "state"),
    [
        ("repairing", "UNKNOWN", "UNKNOWN"),
        ("terminated", "", "TERMINATED"),
        ("hidden", "HIDDEN", "HIDDEN"),
        ("hidden", "HIDING", "HIDING"),
        ("hidden", "UNHIDING", "UNHIDING"),
    ],
)
def test_nodes_end_in(driven, kind, value, state):
    driven.ready("n")
    driven.control.fault(kind, node="n", value=value)
    driven.tick(1)
    assert driven.state("n") == state


def test_a_healed_node_is_ready_and_healthy(driven):
    driven.ready("n")
    driven.control.fault("repairing", node="n", value="UNKNOWN")
    driven.control.fault("symptom", node="n", value="MESH_BUILD_FAIL", worker=2, text="no mesh")
    driven.control.fault("unhealthy", node="n", value="TIMEOUT", text="no heartbeat")
    driven.tick(1)
    driven.control.heal("n")
    driven.tick(1)
    node = driven.find("n")
    assert (node.state.name, node.health.name, node.health_description) == ("READY", "HEALTHY", "")
    assert not node.symptoms


def test_health_and_symptoms_are_shown(driven):
    driven.ready("n")
    driven.control.fault("symptom", node="n", value="HBM_OUT_OF_MEMORY", worker=2, text="too much")
    driven.control.fault("unhealthy", node="n", text="will be rescheduled")
    driven.tick(0)
    node = driven.find("n")
    (symptom,) = node.symptoms
    assert (symptom.symptom_type.name, symptom.worker_id, symptom.details) == (
        "HBM_OUT_OF_MEMORY", "2", "too much",
    )  # fmt: skip
    assert symptom.create_time
    assert (node.health.name, node.health_description) == ("UNHEALTHY_MAINTENANCE", "will be rescheduled")
    assert node.state.name == "READY"


def test_maintenance_is_announced_goes_on_and_is_over(driven):
    driven.ready("n")
    alpha = driven.client(tpu_v2alpha1)

    def window():
        return alpha.get_node(name=f"{driven.parent}/nodes/n").upcoming_maintenance

    driven.control.fault("maintenance", node="n", value="SCHEDULED", notice_s=3600, delay_s=600)
    driven.tick(0)
    assert (window().type_.name, window().maintenance_status.name) == ("SCHEDULED", "PENDING")
    assert window().window_start_time < window().window_end_time
    driven.tick(3600)
    assert window().maintenance_status.name == "ONGOING"
    assert driven.find("n").health.name == "UNHEALTHY_MAINTENANCE"
    driven.tick(600)
    assert "upcoming_maintenance" not in alpha.get_node(name=f"{driven.parent}/nodes/n")
    assert driven.find("n").health.name == "HEALTHY"
    alpha.transport.close()


@pytest.mark.parametrize(
    ("fault", "error", "text"),
    [
        (
            {"kind": "stockout"},
            exceptions.ResourceExhausted,
            'There is no more capacity in the zone "us-central1-a"; you can try in another zone',
        ),
        (
            {"kind": "reserved-capacity"},
            exceptions.ResourceExhausted,
            "Insufficient reserved capacity. Contact customer support to increase your reservation.",
        ),
        (
            {"kind": "preempted-in-creation"},
            exceptions.InvalidArgument,
            "Cloud TPU received a bad request. update is not supported while in state PREEMPTED",
        ),
        (
            {"kind": "create-error", "code": "INTERNAL", "text": "it broke"},
            exceptions.InternalServerError,
            "it broke",
        ),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
def test_a_creation_ends_with_an_error_and_the_node_is_gone(driven, fault, error, text):
    driven.control.fault(**fault)
    operation = driven.create("n")
    assert driven.state("n") == "CREATING"
    driven.tick(10)
    assert driven.state("n") == "gone"
    assert isinstance(error_of(operation), error)
    assert text in error_of(operation).message


QUOTA = "TPUV5EPreemptible"
LIMIT = "PerProjectPerRegionForTPUAPI' has been exceeded. Limit: 0 in region us-central1."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            "region",
            f"Quota '{QUOTA}PodPerProjectPerRegionForTPUAPI' exhausted. Limit 0 in region us-central1",
        ),
        ("zone", f"Quota '{QUOTA}PodPerProjectPerZoneForTPUAPI' exhausted. Limit 0 in zone us-central1-a"),
        (
            "limit",
            f"Quota limit '{QUOTA}{LIMIT}",
        ),
    ],
)
def test_quota_refuses_the_call(driven, value, text):
    driven.control.fault("quota", value=value)
    with pytest.raises(exceptions.ResourceExhausted) as caught:
        driven.create("n", **SPOT)
    assert caught.value.message == text
    kinds = [type(detail).__name__ for detail in caught.value.details]
    assert kinds == ([] if value == "limit" else ["QuotaFailure"])
    assert driven.state("n") == "gone"


def test_faults_strike_where_they_are_told_to_and_as_often(driven):
    driven.control.fault("stockout", zone="us-central1-*", accelerator="v5litepod-16", node="a*", count=2)
    names = [f"a{number}" for number in range(3)]
    elsewhere = {"b": {}, "a-small": {"accelerator": "v5litepod-4"}, "a-east": {"zone": "us-east1-c"}}
    for name in names:
        driven.create(name)
    for name, fields in elsewhere.items():
        driven.create(name, **fields)
    driven.tick(10)
    assert [driven.state(name) for name in names] == ["gone", "gone", "READY"]
    everywhere = list(driven.tpu.list_nodes(parent=driven.zone("-")))
    assert {node.name.rpartition("/")[2] for node in everywhere} == {"a2", *elsewhere}
    assert driven.control.faults() == ()


def test_a_rate_strikes_some(driven):
    driven.control.fault("stockout", rate=0.5)
    for number in range(40):
        driven.create(f"n{number}", accelerator="v5litepod-4")
    driven.tick(10)
    left = len(list(driven.tpu.list_nodes(parent=driven.parent)))
    assert 0 < left < 40


def test_events_can_wait_for_nodes(driven):
    driven.control.fault("preempt", node="n*", count=1, after_s=100)
    driven.ready("n1")
    driven.ready("n2")
    driven.tick(100)
    assert (driven.state("n1"), driven.state("n2")) == ("PREEMPTED", "READY")
    assert driven.control.faults() == ()


def test_a_slow_operation(driven):
    driven.control.fault("slow-operation", method="CreateNode", delay_s=3600)
    operation = driven.create("n")
    driven.tick(3609)
    assert driven.state("n") == "CREATING"
    assert not operation.done()
    driven.tick(1)
    assert driven.state("n") == "READY"
    driven.remove("n")
    driven.tick(5)
    assert driven.state("n") == "gone"


def test_a_lost_operation_is_never_done(driven):
    driven.control.fault("lost-operation", method="CreateNode", count=1)
    operation = driven.create("n")
    driven.tick(100_000)
    assert driven.state("n") == "READY"
    assert not operation.done()


def test_a_node_stuck_in_creating_and_in_deleting_until_it_is_healed(driven):
    driven.control.fault("stuck", count=1)
    operation = driven.create("n")
    driven.tick(100_000)
    assert driven.state("n") == "CREATING"
    driven.control.heal("n")
    driven.tick(0)
    assert driven.state("n") == "READY"
    assert operation.done()
    driven.control.fault("stuck", method="DeleteNode", count=1)
    driven.remove("n")
    driven.tick(100_000)
    assert driven.state("n") == "DELETING"
    driven.control.heal("n")
    driven.tick(0)
    assert driven.state("n") == "gone"


@pytest.mark.parametrize(
    ("fault", "error", "text"),
    [
        ({"kind": "api-down"}, exceptions.ServiceUnavailable, "Internal error. Please try again"),
        ({"kind": "rate-limit"}, exceptions.ResourceExhausted, "Quota exceeded"),
        ({"kind": "permission"}, exceptions.PermissionDenied, "Location us-central1-a is not found"),
        ({"kind": "api-reset"}, exceptions.ServiceUnavailable, "Connection reset by peer"),
        ({"kind": "api-error", "code": "ABORTED", "text": "again"}, exceptions.Aborted, "again"),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
def test_api_calls_fail_for_some_methods(driven, fault, error, text):
    driven.control.fault(method="List*", count=1, **fault)
    assert driven.find("n") is None
    with pytest.raises(error, match=text):
        driven.tpu.list_nodes(parent=driven.parent)
    assert not list(driven.tpu.list_nodes(parent=driven.parent))


def test_a_call_that_hangs_meets_its_deadline_and_the_cloud_still_stops(tmp_path):
    with driving(tmp_path / "cloud") as cloud:
        cloud.control.fault("api-hang", method="ListNodes")
        with pytest.raises(exceptions.DeadlineExceeded):
            cloud.tpu.list_nodes(parent=cloud.parent, timeout=0.5)
        assert cloud.find("n") is None


def test_a_slow_call(driven):
    driven.control.fault("api-slow", method="ListNodes", delay_s=0.3, count=1)
    began = time.monotonic()
    assert not list(driven.tpu.list_nodes(parent=driven.parent))
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"kind": "stokout"}, "did you mean 'stockout'"),
        ({"kind": "preempt", "node": "nobody"}, "nothing matches"),
        ({"kind": "stockout", "rate": 2.0}, "rate 2"),
        ({"kind": "stockout", "count": 0}, "count 0"),
        ({"kind": "stockout", "delay_s": -1.0}, "delay_s -1"),
        ({"kind": "api-error", "code": "UNAVAIL"}, "did you mean 'UNAVAILABLE'"),
        ({"kind": "repairing", "value": "READ"}, "did you mean 'READY'"),
    ],
)
def test_what_is_no_fault(driven, settings, text):
    with pytest.raises(ConfigError, match=text):
        driven.control.fault(**settings)
    assert driven.control.faults() == ()
