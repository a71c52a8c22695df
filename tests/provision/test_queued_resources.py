"""Slices through a queued resource."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from clouded import ZONE, eventually
from google.api_core.exceptions import AlreadyExists

import tpuherd_queued_resources as plugin
from tpuherd import ConfigError, ProvisionError
from tpuherd.cloud.naming import target_of
from tpuherd.model.failure import Presence
from tpuherd.model.job import Attempt
from tpuherd_queued_resources import resource
from tpuherd_queued_resources.asking import queued_message

RUNTIME = "v2-alpha-tpuv5-lite"


def queued_job(cloud, job_id, *, tpu=None, **more):
    return cloud.job(tpu={"allocation_mode": "queued-resources", **(tpu or {})}, job_id=job_id, **more)


def provision(job):
    return plugin.provision(job, job.attempt)


def node_name(job):
    return target_of(job, job.spec.tpu.first_placement).name


def queued(cloud, name):
    return cloud.api.get("get_queued_resource", f"queuedResources/{name}")


def somebody_elses(cloud, name, node_id):
    node = {"accelerator_type": "v5litepod-8", "runtime_version": RUNTIME}
    wanted = {"tpu": {"node_spec": [{"parent": cloud.api.parent, "node_id": node_id, "node": node}]}}
    cloud.api.change(
        "create_queued_resource", parent=cloud.api.parent, queued_resource_id=name, queued_resource=wanted
    )
    eventually(lambda: queued(cloud, name).state.state.name == "ACTIVE")


def force_delete(cloud, name):
    name = f"{cloud.api.parent}/queuedResources/{name}"
    cloud.api.change("delete_queued_resource", name=name, force=True)


def test_one_slice_adopted_and_given_back(cloud):
    job = queued_job(cloud, "single-0001")
    held = provision(job)
    assert provision(job) == held
    assert held.queued_resource_id == node_name(job)
    (piece,) = held.slices
    assert (piece.node_id, piece.zone, len(piece.workers)) == (node_name(job), ZONE, 1)
    assert dict(cloud.node(node_name(job)).labels)["tpuherd-job"] == "single-0001"
    (seen,) = plugin.observe(job, held)
    assert (seen.presence, seen.state) == (Presence.PRESENT, "READY")
    for _ in range(2):
        assert plugin.release(job, held) is True
    assert queued(cloud, node_name(job)) is None
    assert cloud.nodes() == set()


@pytest.mark.slow
@pytest.mark.parametrize(("accelerator", "each"), [("v5litepod-8", 1), ("v5litepod-16", 4)])
def test_a_multislice_numbers_its_workers_through(cloud, accelerator, each):
    job = queued_job(cloud, f"multi{each}-0001", tpu={"accelerator": accelerator, "slices": 2})
    held = provision(job)
    assert [piece.node_id for piece in held.slices] == [f"{node_name(job)}-0", f"{node_name(job)}-1"]
    assert [worker.index for worker in held.workers] == list(range(2 * each))
    assert [worker.slice_index for worker in held.workers] == [0] * each + [1] * each
    assert [worker.slice_worker for worker in held.workers] == [*range(each), *range(each)]
    assert len({worker.internal_address for worker in held.workers}) == 2 * each
    assert held.incarnation.count("+") == 1

    ask = "curl -sH Metadata-Flavor:Google $GCE_METADATA_IP/computeMetadata/v1/instance/attributes/tpu-env"
    answers = job.session.workers(held, job.cloud.ssh).run(ask, timeout_s=20)
    first = held.workers[0].internal_address
    for worker, result in zip(held.workers, answers.results, strict=True):
        lines = result.stdout.splitlines()
        assert f"MEGASCALE_COORDINATOR_ADDRESS: '{first}:8081'" in lines
        assert "MEGASCALE_NUM_SLICES: '2'" in lines
        assert f"MEGASCALE_SLICE_ID: '{worker.slice_index}'" in lines
    plugin.release(job, held)
    assert cloud.nodes() == set()


def test_asking_twice_is_asking_once(cloud):
    """A crash between request and answer: the next controller asks again."""
    job = queued_job(cloud, "crashed-0001")
    supply = resource.QueuedResources(job)
    target = target_of(job, job.spec.tpu.first_placement)
    supply.ask(target)
    created = queued(cloud, node_name(job)).create_time
    with pytest.raises(AlreadyExists):
        supply.ask(target)
    held = provision(job)
    assert queued(cloud, node_name(job)).create_time == created
    assert provision(job) == held
    plugin.release(job, None)


def test_a_resource_that_fails_says_why(slow_cloud):
    job = queued_job(slow_cloud, "failing-0001")
    raised = []

    def ask():
        with pytest.raises(
            ProvisionError, match=rf"queued resource {node_name(job)} in {ZONE}: [A-Z]+"
        ) as caught:
            provision(job)
        raised.append(caught.value)

    asking = threading.Thread(target=ask)
    asking.start()
    eventually(lambda: queued(slow_cloud, node_name(job)))
    taking = {"accelerator_type": "v5litepod-8", "runtime_version": RUNTIME}
    slow_cloud.api.change("create_node", parent=slow_cloud.api.parent, node_id=node_name(job), node=taking)
    asking.join()
    assert "already exists" in str(raised[0])
    left = queued(slow_cloud, node_name(job))
    assert left is None or left.state.state.name == "DELETING"  # a failed one holds quota
    plugin.release(job, None)
    assert queued(slow_cloud, node_name(job)) is None
    assert node_name(job) in slow_cloud.nodes()


def test_a_suspended_resource_is_an_error_and_is_given_back(cloud):
    job = queued_job(cloud, "suspended-0001")
    held = provision(job)
    cloud.api.change("delete_node", name=f"{cloud.api.parent}/nodes/{node_name(job)}")
    eventually(lambda: queued(cloud, node_name(job)).state.state.name == "SUSPENDED")
    with pytest.raises(ProvisionError, match=r"became SUSPENDED \(by user\)"):
        provision(job)
    (seen,) = plugin.observe(job, held)
    assert seen.presence is Presence.ABSENT
    plugin.release(job, held)
    assert queued(cloud, node_name(job)) is None


def test_release_while_an_earlier_release_is_under_way(slow_cloud):
    job = queued_job(slow_cloud, "deleting-0001")
    held = provision(job)
    force_delete(slow_cloud, node_name(job))
    assert queued(slow_cloud, node_name(job)).state.state.name == "DELETING"
    assert plugin.release(job, held) is True
    assert queued(slow_cloud, node_name(job)) is None
    assert slow_cloud.nodes() == set()


def test_what_somebody_else_asked_for_is_refused_and_left_alone(cloud):
    job = queued_job(cloud, "foreign-0001", tpu={"name": "shared-queue"})
    somebody_elses(cloud, "shared-queue", "shared-queue-node")
    with pytest.raises(
        ProvisionError, match=r"(?s)queued resource shared-queue .*exists already.*`tpu\.name`"
    ):
        provision(job)
    assert plugin.release(job, None) is True
    assert queued(cloud, "shared-queue").state.state.name == "ACTIVE"
    force_delete(cloud, "shared-queue")


def test_a_node_name_that_somebody_else_took_is_named(cloud):
    job = queued_job(cloud, "squatted-0001", tpu={"name": "squatted"})
    somebody_elses(cloud, "other-queue", "squatted")
    with pytest.raises(ProvisionError, match=r"(?s)node squatted .*exists already.*`tpu\.name`"):
        provision(job)
    plugin.release(job, None)
    assert "squatted" in cloud.nodes()
    force_delete(cloud, "other-queue")


def test_a_later_attempt_gives_back_what_an_earlier_one_made(cloud):
    job = queued_job(cloud, "kept-0001")
    held = provision(job)
    plugin.release(replace(job, attempt=Attempt(number=2, zone="us-east1-d")), held)
    assert queued(cloud, node_name(job)) is None


def test_recreated_under_the_same_name_its_workers_are_trusted_anew(cloud):
    job = queued_job(cloud, "reborn-0001")
    first = provision(job)
    plugin.release(job, first)
    second = provision(job)
    assert first.incarnation != second.incarnation
    plugin.release(job, second)


def test_spot_and_preemptible_are_asked_for_as_spot():
    """A queued resource knows no preemptible tier."""
    assert {"spot", "guaranteed"} & _tiers("spot") == {"spot"}
    assert _tiers("preemptible") == {"spot"}
    assert _tiers("ondemand") == set()


def _tiers(pricing):
    from pathlib import Path

    from tpuherd.manager import make_plugin_manager
    from tpuherd.testing import JobFactory

    document = {
        "tpu": {"accelerator": "v5litepod-8", "zone": ZONE, "pricing": pricing},
        "command": {"cmd": "true"},
    }
    job = JobFactory(make_plugin_manager(), Path("/nowhere"))(document)
    target = target_of(job, job.spec.tpu.first_placement)
    return set(queued_message(job, target, "projects/p/locations/z")) - {"tpu"}


def test_what_only_gke_sells_is_refused_by_the_plan(cloud):
    with pytest.raises(ConfigError, match=r"tpu\.accelerator: only GKE sells tpu7x-8"):
        plugin.plan(queued_job(cloud, "gke-0001", tpu={"accelerator": "tpu7x-8", "slices": 2}).spec)
    steps = plugin.plan(queued_job(cloud, "fine-0001", tpu={"slices": 2}).spec)
    assert "2 x v5litepod-8" in steps[0].action
