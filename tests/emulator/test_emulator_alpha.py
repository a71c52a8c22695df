"""What only v2alpha1 has."""

from __future__ import annotations

import uuid

import pytest
from emulated import eventually, finished
from google.api_core import exceptions
from google.cloud import tpu_v2, tpu_v2alpha1

from tpuherd_emulator.control.client import Control

RUNTIME = "v2-alpha-tpuv5-lite"


@pytest.fixture(scope="module")
def alpha(cloud):
    return cloud.client(tpu_v2alpha1)


def wanted(accelerator="v5litepod-4"):
    return tpu_v2alpha1.Node(accelerator_type=accelerator, runtime_version=RUNTIME)


def test_the_same_request_again_is_one_node(cloud, alpha):
    request = {"parent": cloud.parent, "node_id": "once", "node": wanted(), "request_id": str(uuid.uuid4())}
    first = alpha.create_node(request=request)
    assert alpha.create_node(request=request).operation.name == first.operation.name
    with pytest.raises(exceptions.AlreadyExists):
        alpha.create_node(request={**request, "request_id": str(uuid.uuid4())})
    finished(first)
    request = {"name": f"{cloud.parent}/nodes/once", "request_id": str(uuid.uuid4())}
    first = alpha.delete_node(request=request)
    finished(first)
    assert alpha.delete_node(request=request).operation.name == first.operation.name
    with pytest.raises(exceptions.NotFound):
        alpha.delete_node(request={**request, "request_id": str(uuid.uuid4())})


def test_a_refused_request_may_be_tried_again(cloud, alpha):
    request = {"parent": cloud.parent, "node_id": "Bad", "node": wanted(), "request_id": str(uuid.uuid4())}
    for _ in range(2):
        with pytest.raises(exceptions.InvalidArgument):
            alpha.create_node(request=request)
    finished(alpha.create_node(request={**request, "node_id": "good"}))
    cloud.delete(cloud.client().get_node(name=f"{cloud.parent}/nodes/good"))


def test_maintenance_is_simulated_on_one_worker(cloud, alpha):
    node = cloud.node("simulated", "v5litepod-16")
    request = {"name": node.name, "worker_ids": ["2", "3"]}
    assert isinstance(finished(alpha.simulate_maintenance_event(request=request)), tpu_v2alpha1.Node)
    healthy = tpu_v2alpha1.Node.Health.HEALTHY

    def recovered():
        now = alpha.get_node(name=node.name)
        return now.health == healthy and "upcoming_maintenance" not in now

    eventually(recovered, timeout=60)
    for worker in ("4", "x", "-1"):
        with pytest.raises(exceptions.InvalidArgument, match=f"no worker '{worker}'"):
            alpha.simulate_maintenance_event(request={"name": node.name, "worker_ids": [worker]})
    cloud.delete(node)


def test_maintenance_that_nobody_announced_cannot_be_performed(cloud, alpha):
    node = cloud.node("quiet")
    with pytest.raises(exceptions.FailedPrecondition, match="no upcoming maintenance"):
        alpha.perform_maintenance(request={"name": node.name})
    cloud.delete(node)
    with pytest.raises(exceptions.NotFound):
        alpha.perform_maintenance(request={"name": node.name})
    with pytest.raises(exceptions.NotFound):
        alpha.perform_maintenance_queued_resource(request={"name": f"{cloud.parent}/queuedResources/q"})


def test_fields_of_its_own_are_kept(cloud, alpha):
    node = wanted()
    node.autocheckpoint_enabled = True
    node.boot_disk_config.customer_encryption_key.kms_key_name = "a-key"
    made = finished(alpha.create_node(parent=cloud.parent, node_id="own", node=node))
    assert made.autocheckpoint_enabled
    assert alpha.get_node(name=made.name).boot_disk_config == node.boot_disk_config
    old = cloud.client().get_node(name=made.name)
    assert isinstance(old, tpu_v2.Node)
    assert not old.multislice_node  # number 48 of v2 is the automatic checkpoint of v2alpha1
    cloud.delete(old)


def test_without_reservations_there_are_none(cloud, alpha):
    assert not list(alpha.list_reservations(request={"parent": cloud.parent}))
    with pytest.raises(exceptions.PermissionDenied):
        alpha.list_reservations(request={"parent": "projects/other/locations/us-central1-a"})


def test_no_workers_are_all_workers(cloud):
    """gcloud asks for the worker with an empty id when it means all of them."""
    node = cloud.node("guests", "v5litepod-16")
    client = cloud.client()
    for chosen, count in (([], 4), ([""], 4), (["1", "3"], 2)):
        request = {"name": node.name, "query_path": "hostkeys/", "worker_ids": chosen}
        assert len(client.get_guest_attributes(request=request).guest_attributes) == count
    cloud.delete(node)


def test_capacity_that_is_reserved_is_a_reservation(make_cloud):
    cloud = make_cloud()
    with Control(cloud.info) as control:
        control.capacity("us-central1-a", 64, generation="v5e", market="reserved")
        control.capacity("us-central1-a", 16, generation="v5e", market="spot")
    node = cloud.node("held", "v5litepod-16", scheduling_config=tpu_v2.SchedulingConfig(reserved=True))
    alpha = cloud.client(tpu_v2alpha1)
    (found,) = alpha.list_reservations(request={"parent": cloud.parent})
    assert found.name == f"{cloud.parent}/reservations/v5e"
    assert (found.standard.size, found.standard.usage.total) == (64, 16)
    assert found.standard.capacity_units == tpu_v2alpha1.Reservation.Standard.CapacityUnits.CHIPS
    everywhere = f"projects/{cloud.info.project}/locations/-"
    assert list(alpha.list_reservations(request={"parent": everywhere})) == [found]
    elsewhere = f"projects/{cloud.info.project}/locations/us-east1-d"
    assert not list(alpha.list_reservations(request={"parent": elsewhere}))
    cloud.delete(node)


def test_maintenance_that_was_announced_can_be_performed_at_once(make_cloud):
    cloud = make_cloud(queue_s=0.0)
    alpha = cloud.client(tpu_v2alpha1)
    spec = tpu_v2alpha1.QueuedResource.Tpu.NodeSpec(parent=cloud.parent, node_id="m", node=wanted())
    queued = tpu_v2alpha1.QueuedResource(tpu={"node_spec": [spec]})
    alpha.create_queued_resource(parent=cloud.parent, queued_resource_id="q", queued_resource=queued)
    name, node = f"{cloud.parent}/queuedResources/q", f"{cloud.parent}/nodes/m"
    active = tpu_v2alpha1.QueuedResourceState.State.ACTIVE
    eventually(lambda: alpha.get_queued_resource(name=name).state.state == active)
    with Control(cloud.info) as control:
        control.fault("maintenance", node="m", notice_s=3600, value="SCHEDULED", delay_s=0.1)
    pending = tpu_v2alpha1.UpcomingMaintenance.MaintenanceStatus.PENDING
    eventually(lambda: alpha.get_node(name=node).upcoming_maintenance.maintenance_status == pending)
    with pytest.raises(exceptions.InvalidArgument, match="has no node"):
        alpha.perform_maintenance_queued_resource(request={"name": name, "node_names": ["other"]})
    operation = alpha.perform_maintenance_queued_resource(request={"name": name, "node_names": ["m"]})
    assert finished(operation).name == name
    eventually(lambda: "upcoming_maintenance" not in alpha.get_node(name=node), timeout=60)
    finished(alpha.delete_queued_resource(request={"name": name, "force": True}))
