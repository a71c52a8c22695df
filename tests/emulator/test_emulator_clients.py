"""Every method of the API, by Google's client of each version and transport."""

from __future__ import annotations

import uuid

import pytest
from emulated import eventually, finished
from google.api_core import exceptions
from google.cloud import tpu_v2, tpu_v2alpha1
from google.cloud.location import locations_pb2
from google.longrunning import operations_pb2

RUNTIME = "v2-alpha-tpuv5-lite"


@pytest.fixture(params=["v2 gRPC", "v2 REST", "v2alpha1 gRPC"])
def door(cloud, request):
    """A client with the messages of its version."""
    if request.param == "v2 REST":
        return tpu_v2, cloud.rest_client()
    package = tpu_v2alpha1 if "alpha" in request.param else tpu_v2
    return package, cloud.client(package)


@pytest.fixture(autouse=True)
def empty_again(cloud):
    yield
    client = cloud.client()
    for queued in client.list_queued_resources(parent=cloud.parent):
        finished(client.delete_queued_resource(request={"name": queued.name, "force": True}))
    for node in client.list_nodes(parent=cloud.parent):
        finished(client.delete_node(name=node.name))


def node_of(package, **fields):
    return package.Node(accelerator_type="v5litepod-4", runtime_version=RUNTIME, **fields)


def test_nodes(cloud, door):
    package, client = door
    scheduling = package.SchedulingConfig(spot=False, reserved=True)
    wanted = node_of(package, labels={"a": "b"}, tags=["t"], scheduling_config=scheduling)
    operation = client.create_node(parent=cloud.parent, node_id="one", node=wanted)
    assert operation.metadata.target == f"{cloud.parent}/nodes/one"
    made = finished(operation)
    assert isinstance(made, package.Node)
    assert made == client.get_node(name=made.name)
    assert made == next(iter(client.list_nodes(parent=cloud.parent)))
    assert (made.labels, list(made.tags), made.scheduling_config.reserved) == ({"a": "b"}, ["t"], True)
    assert made.accelerator_config.type_ == package.AcceleratorConfig.Type.V5LITE_POD
    assert (made.accelerator_config.topology, made.queued_resource) == ("2x2", "")
    newest = "V2_ALPHA1" if package is tpu_v2alpha1 else "V2"
    assert made.api_version == package.Node.ApiVersion[newest]

    assert finished(client.stop_node(request={"name": made.name})).state == package.Node.State.STOPPED
    assert finished(client.start_node(request={"name": made.name})).state == package.Node.State.READY
    changed = package.Node(name=made.name, description="new", labels={"c": "d"})
    finished(client.update_node(node=changed, update_mask={"paths": ["description", "labels"]}))
    now = client.get_node(name=made.name)
    assert (now.description, now.labels, list(now.tags)) == ("new", {"c": "d"}, ["t"])
    (worker,) = client.get_guest_attributes(request={"name": made.name}).guest_attributes
    assert {item.key for item in worker.query_value.items} == {"ssh-ed25519", "Hostname"}

    with pytest.raises(exceptions.Conflict) as caught:  # AlreadyExists; over REST the code is all there is
        client.create_node(parent=cloud.parent, node_id="one", node=wanted)
    assert caught.value.reason == "RESOURCE_ALREADY_EXISTS"
    finished(client.delete_node(name=made.name))
    with pytest.raises(exceptions.NotFound, match=f"Resource '{made.name}' was not found") as gone:
        client.get_node(name=made.name)
    assert gone.value.reason == "RESOURCE_NOT_FOUND"


def spec_of(package, cloud, **fields):
    return package.QueuedResource.Tpu.NodeSpec(parent=cloud.parent, node=node_of(package), **fields)


def queued_of(package, spec, **fields):
    return package.QueuedResource(tpu=package.QueuedResource.Tpu(node_spec=[spec]), **fields)


def test_queued_resources(cloud, door):
    package, client = door
    spot = package.QueuedResource.Spot()
    resource = queued_of(package, spec_of(package, cloud, node_id="q-node"), spot=spot)
    request = {
        "parent": cloud.parent,
        "queued_resource_id": "q",
        "queued_resource": resource,
        "request_id": str(uuid.uuid4()),
    }
    operation = client.create_queued_resource(request=request)
    assert client.create_queued_resource(request=request).operation.name == operation.operation.name
    name = f"{cloud.parent}/queuedResources/q"
    active = package.QueuedResourceState.State.ACTIVE
    eventually(lambda: client.get_queued_resource(name=name).state.state == active)
    (shown,) = client.list_queued_resources(parent=cloud.parent)
    assert "spot" in shown
    assert "guaranteed" not in shown
    assert shown.tpu.node_spec[0].node_id == "q-node"
    assert shown.tpu.node_spec[0].node.accelerator_type == "v5litepod-4"
    assert client.get_node(name=f"{cloud.parent}/nodes/q-node").queued_resource == name
    with pytest.raises(exceptions.BadRequest, match="without force"):
        client.delete_queued_resource(name=name)
    finished(client.delete_node(name=f"{cloud.parent}/nodes/q-node"))
    suspended = package.QueuedResourceState.State.SUSPENDED
    eventually(lambda: client.get_queued_resource(name=name).state.state == suspended)
    finished(client.reset_queued_resource(name=name))
    eventually(lambda: client.get_queued_resource(name=name).state.state == active)
    finished(client.delete_queued_resource(request={"name": name, "force": True}))
    assert not list(client.list_queued_resources(parent=cloud.parent))


def test_a_multislice(cloud, door):
    package, client = door
    kind = package.QueuedResource.Tpu.NodeSpec
    alpha = package is tpu_v2alpha1
    params = (kind.MultiNodeParams if alpha else kind.MultisliceParams)(node_count=2)
    spec = spec_of(package, cloud, **{"multi_node_params" if alpha else "multislice_params": params})
    client.create_queued_resource(
        parent=cloud.parent, queued_resource_id="many", queued_resource=queued_of(package, spec)
    )
    name = f"{cloud.parent}/queuedResources/many"
    active = package.QueuedResourceState.State.ACTIVE
    eventually(lambda: client.get_queued_resource(name=name).state.state == active)
    nodes = list(client.list_nodes(parent=cloud.parent))
    assert [node.name.rpartition("/")[2] for node in nodes] == ["many-0", "many-1"]
    assert all(node.multislice_node and node.queued_resource == name for node in nodes)
    finished(client.delete_queued_resource(request={"name": name, "force": True}))


def test_what_the_cloud_offers(cloud, door):
    _, client = door
    kinds = [kind.type_ for kind in client.list_accelerator_types(parent=cloud.parent)]
    assert {"v5litepod-16", "v6e-8"} <= set(kinds)
    assert "v4-8" not in kinds  # sold in another zone
    name = f"{cloud.parent}/acceleratorTypes/v6e-8"
    assert client.get_accelerator_type(name=name).type_ == "v6e-8"
    versions = [version.version for version in client.list_runtime_versions(parent=cloud.parent)]
    assert RUNTIME in versions
    name = f"{cloud.parent}/runtimeVersions/{RUNTIME}"
    assert client.get_runtime_version(name=name).version == RUNTIME
    request = locations_pb2.GetLocationRequest(name=cloud.parent)
    assert client.get_location(request).location_id == "us-central1-a"
    request = locations_pb2.ListLocationsRequest(name=f"projects/{cloud.info.project}", page_size=3)
    page = client.list_locations(request)
    assert len(page.locations) == 3
    assert page.next_page_token
    identity = client.generate_service_identity(request={"parent": cloud.parent}).identity
    assert identity.email.endswith("@cloud-tpu.iam.gserviceaccount.com")


def test_operations(cloud, door):
    package, client = door
    node = finished(client.create_node(parent=cloud.parent, node_id="ops", node=node_of(package)))
    listed = client.list_operations(operations_pb2.ListOperationsRequest(name=cloud.parent))
    newest = listed.operations[-1]
    assert newest.done
    made = package.Node.pb()()
    assert newest.response.Unpack(made)
    assert made.name == node.name
    found = client.get_operation(operations_pb2.GetOperationRequest(name=newest.name))
    assert found == newest
    client.cancel_operation(operations_pb2.CancelOperationRequest(name=newest.name))
    client.delete_operation(operations_pb2.DeleteOperationRequest(name=newest.name))
    with pytest.raises(exceptions.NotFound):
        client.get_operation(operations_pb2.GetOperationRequest(name=newest.name))
    with pytest.raises(exceptions.BadRequest, match="filter"):
        client.list_operations(operations_pb2.ListOperationsRequest(name=cloud.parent, filter="done:true"))
    cloud.delete(node)


def test_pages(cloud, door):
    package, client = door
    nodes = [
        finished(client.create_node(parent=cloud.parent, node_id=f"p{number}", node=node_of(package)))
        for number in range(3)
    ]
    pages = list(client.list_nodes(request={"parent": cloud.parent, "page_size": 2}).pages)
    assert [len(page.nodes) for page in pages] == [2, 1]
    everywhere = f"projects/{cloud.info.project}/locations/-"
    assert len(list(client.list_nodes(parent=everywhere))) == 3
    for token in ("x", "-1", "1000000"):
        with pytest.raises(exceptions.BadRequest, match="page_token"):
            client.list_nodes(request={"parent": cloud.parent, "page_token": token})
    with pytest.raises(exceptions.BadRequest, match="page_size"):
        client.list_nodes(request={"parent": cloud.parent, "page_size": -1})
    for node in nodes:
        cloud.delete(node)


def test_zones_that_are_not_there(cloud, door):
    _, client = door
    parent = f"projects/{cloud.info.project}/locations/us-nowhere1-a"
    text = "Location us-nowhere1-a is not found or access is unauthorized."
    with pytest.raises(exceptions.Forbidden) as caught:
        client.list_nodes(parent=parent)
    assert caught.value.message.endswith(text)
    with pytest.raises(exceptions.GoogleAPICallError, match=r"is not found or access is unauthorized\."):
        client.get_queued_resource(name=f"{parent}/queuedResources/q")
