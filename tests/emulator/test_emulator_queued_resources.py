from __future__ import annotations

import time

import pytest
from emulated import eventually, finished
from google.api_core import exceptions
from google.cloud import tpu_v2

State = tpu_v2.QueuedResourceState.State
RUNTIME = "v2-alpha-tpuv5-lite"


def spec(cloud, node_id="", accelerator="v5litepod-4", **fields):
    node = tpu_v2.Node(accelerator_type=accelerator, runtime_version=RUNTIME)
    return tpu_v2.QueuedResource.Tpu.NodeSpec(parent=cloud.parent, node_id=node_id, node=node, **fields)


def multislice(cloud, count, prefix=""):
    kind = tpu_v2.QueuedResource.Tpu.NodeSpec.MultisliceParams
    return spec(cloud, multislice_params=kind(node_count=count, node_id_prefix=prefix))


def create(cloud, queued_id, *specs, **fields):
    resource = tpu_v2.QueuedResource(tpu=tpu_v2.QueuedResource.Tpu(node_spec=specs))
    request = {
        "parent": cloud.parent,
        "queued_resource_id": queued_id,
        "queued_resource": resource,
        **fields,
    }
    return cloud.client().create_queued_resource(request=request)


def state(cloud, queued_id):
    return cloud.client().get_queued_resource(name=f"{cloud.parent}/queuedResources/{queued_id}").state


def delete(cloud, queued_id, *, force):
    request = {"name": f"{cloud.parent}/queuedResources/{queued_id}", "force": force}
    finished(cloud.client().delete_queued_resource(request=request))


def until(cloud, queued_id, wanted):
    eventually(lambda: state(cloud, queued_id).state == wanted)


def test_it_walks_through_all_states(make_cloud):
    cloud = make_cloud(queue_s=0.3)
    finished(create(cloud, "q", spec(cloud, "n")))
    seen = []
    deadline = time.monotonic() + 20
    while State.ACTIVE not in seen and time.monotonic() < deadline:
        now = state(cloud, "q").state
        seen += [] if seen[-1:] == [now] else [now]
        time.sleep(0.02)
    assert seen == [State.ACCEPTED, State.WAITING_FOR_RESOURCES, State.PROVISIONING, State.ACTIVE]
    node = cloud.client().get_node(name=f"{cloud.parent}/nodes/n")
    assert node.queued_resource == f"{cloud.parent}/queuedResources/q"
    assert not node.multislice_node
    assert cloud.ssh(node.network_endpoints[0].ip_address, "true").returncode == 0

    with pytest.raises(exceptions.FailedPrecondition, match="force"):
        delete(cloud, "q", force=False)
    delete(cloud, "q", force=True)
    with pytest.raises(exceptions.NotFound):
        state(cloud, "q")
    with pytest.raises(exceptions.NotFound):
        cloud.client().get_node(name=node.name)


def test_a_multislice_tells_its_workers_their_place(cloud):
    finished(create(cloud, "multi", multislice(cloud, 2, "part")))
    until(cloud, "multi", State.ACTIVE)
    nodes = [cloud.client().get_node(name=f"{cloud.parent}/nodes/part-{index}") for index in range(2)]
    assert all(node.multislice_node for node in nodes)
    coordinator = nodes[0].network_endpoints[0].ip_address
    for index, node in enumerate(nodes):
        address = node.network_endpoints[0].ip_address
        ask = (
            "curl -sH Metadata-Flavor:Google $GCE_METADATA_IP/computeMetadata/v1/instance/attributes/tpu-env"
        )
        lines = cloud.ssh(address, ask).stdout.decode().splitlines()
        assert f"MEGASCALE_COORDINATOR_ADDRESS: '{coordinator}:8081'" in lines
        assert "MEGASCALE_NUM_SLICES: '2'" in lines
        assert f"MEGASCALE_SLICE_ID: '{index}'" in lines
    delete(cloud, "multi", force=True)


def test_the_same_request_again_is_one_resource(cloud):
    request_id = "3c7dd8a2-93b0-4c8a-9a3a-0d5b7c0a6f11"
    first = create(cloud, "once", spec(cloud, "once"), request_id=request_id)
    again = create(cloud, "once", spec(cloud, "once"), request_id=request_id)
    assert first.operation.name == again.operation.name
    with pytest.raises(exceptions.AlreadyExists):
        create(cloud, "once", spec(cloud, "other"))
    delete(cloud, "once", force=True)


def test_without_its_nodes_it_is_suspended_and_can_be_reset(cloud):
    create(cloud, "lost", spec(cloud, "lost"))
    until(cloud, "lost", State.ACTIVE)
    with pytest.raises(exceptions.FailedPrecondition, match="ACTIVE"):
        cloud.client().reset_queued_resource(name=f"{cloud.parent}/queuedResources/lost")
    finished(cloud.client().delete_node(name=f"{cloud.parent}/nodes/lost"))
    until(cloud, "lost", State.SUSPENDED)
    assert state(cloud, "lost").state_initiator == tpu_v2.QueuedResourceState.StateInitiator.USER
    finished(cloud.client().reset_queued_resource(name=f"{cloud.parent}/queuedResources/lost"))
    until(cloud, "lost", State.ACTIVE)
    finished(cloud.client().delete_node(name=f"{cloud.parent}/nodes/lost"))
    until(cloud, "lost", State.SUSPENDED)
    delete(cloud, "lost", force=False)


def test_deleted_while_it_waits_it_makes_no_node(make_cloud):
    cloud = make_cloud(queue_s=0.3)
    create(cloud, "q", spec(cloud, "n"))
    delete(cloud, "q", force=True)
    time.sleep(1)
    assert not list(cloud.client().list_nodes(parent=cloud.parent))


def test_a_name_taken_while_it_waits_fails_it(make_cloud):
    cloud = make_cloud(queue_s=0.5)
    create(cloud, "q", spec(cloud, "n"))
    node = cloud.node("n")
    until(cloud, "q", State.FAILED)
    assert "already exists" in state(cloud, "q").failed_data.error.message
    delete(cloud, "q", force=False)
    assert cloud.client().get_node(name=node.name).state == tpu_v2.Node.State.READY


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda cloud: [], "node_spec is empty"),
        (lambda cloud: [spec(cloud)], "exactly one"),
        (lambda cloud: [multislice(cloud, 1)], "greater than 1"),
        (lambda cloud: [spec(cloud, "n", accelerator="v9-8")], "v9-8"),
    ],
)
def test_what_cannot_be_queued(cloud, make, text):
    with pytest.raises(exceptions.InvalidArgument, match=text):
        create(cloud, "bad", *make(cloud))
    assert not list(cloud.client().list_queued_resources(parent=cloud.parent))


def test_nodes_that_exist_cannot_be_queued(cloud):
    node = cloud.node("there")
    with pytest.raises(exceptions.AlreadyExists):
        create(cloud, "conflict", spec(cloud, "there"))
    cloud.delete(node)
