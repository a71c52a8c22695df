from __future__ import annotations

import pytest
from emulated import finished
from google.api_core import exceptions
from google.cloud import tpu_v2, tpu_v2alpha1

RUNTIME = "v2-alpha-tpuv5-lite"


def wanted(accelerator="v5litepod-4", runtime=RUNTIME, **fields):
    return tpu_v2.Node(accelerator_type=accelerator, runtime_version=runtime, **fields)


def test_a_node_comes_and_goes(make_cloud):
    cloud = make_cloud(create_s=0.3, delete_s=0.2)
    client = cloud.client()
    operation = client.create_node(
        parent=cloud.parent, node_id="abc", node=wanted("v5litepod-16", labels={"owner": "me"}, tags=["t"])
    )
    name = f"{cloud.parent}/nodes/abc"
    assert client.get_node(name=name).state == tpu_v2.Node.State.CREATING
    assert operation.metadata.target == name
    assert operation.metadata.verb == "create"
    node = finished(operation)
    assert node == client.get_node(name=name)
    assert node.state == tpu_v2.Node.State.READY
    assert node.health == tpu_v2.Node.Health.HEALTHY
    assert (node.name, node.labels, list(node.tags)) == (name, {"owner": "me"}, ["t"])
    assert node.create_time
    assert node.api_version == tpu_v2.Node.ApiVersion.V2
    addresses = [endpoint.ip_address for endpoint in node.network_endpoints]
    assert len(set(addresses)) == 4
    assert [endpoint.access_config.external_ip for endpoint in node.network_endpoints] == addresses
    for index, address in enumerate(addresses):
        assert cloud.ssh(address, "echo $TPU_WORKER_ID").stdout == f"{index}\n".encode()

    deletion = client.delete_node(name=name)
    assert client.get_node(name=name).state == tpu_v2.Node.State.DELETING
    with pytest.raises(exceptions.AlreadyExists):
        client.create_node(parent=cloud.parent, node_id="abc", node=wanted())
    finished(deletion)
    with pytest.raises(exceptions.NotFound, match="was not found"):
        client.get_node(name=name)
    assert list((cloud.directory / "workers").iterdir()) == []


def test_a_name_again_is_another_incarnation(cloud):
    first = cloud.node("again")
    cloud.delete(first)
    second = cloud.node("again")
    cloud.delete(second)
    assert first.id != second.id


@pytest.mark.parametrize(
    ("node_id", "node", "error", "text"),
    [
        ("n", wanted("v5litepod-17"), exceptions.InvalidArgument, "v5litepod-17"),
        ("n", wanted("v5e-16"), exceptions.InvalidArgument, "v5e-16"),
        ("n", wanted("tpu7x-8"), exceptions.InvalidArgument, "tpu7x-8"),
        ("n", wanted(runtime="nonsense"), exceptions.InvalidArgument, "nonsense"),
        ("Upper", wanted(), exceptions.InvalidArgument, "node_id"),
        ("a" * 64, wanted(), exceptions.InvalidArgument, "node_id"),
        ("", wanted(), exceptions.InvalidArgument, "node"),
    ],
)
def test_what_cannot_be_created(cloud, node_id, node, error, text):
    with pytest.raises(error, match=text):
        cloud.client().create_node(parent=cloud.parent, node_id=node_id, node=node)
    assert not list(cloud.client().list_nodes(parent=cloud.parent))


def test_zones_and_projects_that_are_not_there(cloud):
    client = cloud.client()
    with pytest.raises(
        exceptions.PermissionDenied, match="Location nowhere is not found or access is unauthorized"
    ):
        client.list_nodes(parent=f"projects/{cloud.info.project}/locations/nowhere")
    with pytest.raises(exceptions.PermissionDenied) as caught:
        client.list_nodes(parent="projects/other/locations/us-central1-a")
    assert caught.value.reason == "IAM_PERMISSION_DENIED"
    with pytest.raises(exceptions.InvalidArgument):
        client.get_node(name="nodes/x")


def test_the_accelerator_by_topology(cloud):
    config = tpu_v2.AcceleratorConfig(type_=tpu_v2.AcceleratorConfig.Type.V5LITE_POD, topology="2x2")
    node = tpu_v2.Node(accelerator_config=config, runtime_version=RUNTIME)
    made = finished(cloud.client().create_node(parent=cloud.parent, node_id="shape", node=node))
    assert made.accelerator_type == "v5litepod-4"
    cloud.delete(made)


def test_lists_have_pages_and_all_zones(cloud):
    nodes = [cloud.node(f"page-{number}") for number in range(3)]
    client = cloud.client()
    pages = list(client.list_nodes(request={"parent": cloud.parent, "page_size": 2}).pages)
    assert [len(page.nodes) for page in pages] == [2, 1]
    everywhere = f"projects/{cloud.info.project}/locations/-"
    assert len(list(client.list_nodes(parent=everywhere))) == 3
    elsewhere = f"projects/{cloud.info.project}/locations/us-east1-d"
    assert not list(client.list_nodes(parent=elsewhere))
    with pytest.raises(exceptions.InvalidArgument, match="page_token"):
        client.list_nodes(request={"parent": cloud.parent, "page_token": "x"})
    for node in nodes:
        cloud.delete(node)


def test_stop_and_start_keep_the_disk(cloud):
    node = cloud.node("pause")
    client = cloud.client()
    address = node.network_endpoints[0].ip_address
    cloud.ssh(address, "echo kept > file")
    with pytest.raises(exceptions.InvalidArgument, match="start is not supported while in state READY"):
        client.start_node(request={"name": node.name})
    assert finished(client.stop_node(request={"name": node.name})).state == tpu_v2.Node.State.STOPPED
    assert cloud.ssh(address, "true").returncode == 255
    assert finished(client.start_node(request={"name": node.name})).state == tpu_v2.Node.State.READY
    assert cloud.ssh(address, "cat file").stdout == b"kept\n"
    cloud.delete(node)


def test_slices_cannot_be_stopped_and_spot_never_starts_again(cloud):
    slice_ = cloud.node("slice", "v5litepod-16")
    spot = cloud.node("spot", scheduling_config=tpu_v2.SchedulingConfig(spot=True))
    client = cloud.client()
    with pytest.raises(exceptions.FailedPrecondition):
        client.stop_node(request={"name": slice_.name})
    finished(client.stop_node(request={"name": spot.name}))
    with pytest.raises(exceptions.FailedPrecondition):
        client.start_node(request={"name": spot.name})
    cloud.delete(slice_)
    cloud.delete(spot)


def test_update_takes_documented_fields_only(cloud):
    node = cloud.node("update")
    client = cloud.client()
    changed = tpu_v2.Node(name=node.name, labels={"a": "b"}, description="new")
    finished(client.update_node(node=changed, update_mask={"paths": ["labels"]}))
    now = client.get_node(name=node.name)
    assert (now.labels, now.description) == ({"a": "b"}, "")
    for paths in (["accelerator_type"], []):
        with pytest.raises(exceptions.InvalidArgument, match="update_mask"):
            client.update_node(node=changed, update_mask={"paths": paths})
    cloud.delete(node)


def test_deleted_while_it_is_created(make_cloud):
    cloud = make_cloud(create_s=5)
    client = cloud.client()
    creation = client.create_node(parent=cloud.parent, node_id="n", node=wanted())
    finished(client.delete_node(name=f"{cloud.parent}/nodes/n"))
    with pytest.raises(exceptions.GoogleAPICallError, match="overtaken"):
        finished(creation)
    assert list((cloud.directory / "workers").iterdir()) == []


def test_host_keys_are_guest_attributes(cloud):
    node = cloud.node("keys", "v5litepod-16")
    request = {"name": node.name, "query_path": "hostkeys/", "worker_ids": ["2"]}
    (worker,) = cloud.client().get_guest_attributes(request=request).guest_attributes
    (item,) = worker.query_value.items
    port, address = cloud.info.ssh_port, node.network_endpoints[2].ip_address
    known = cloud.directory / "known"
    known.write_text(f"[{address}]:{port} {item.key} {item.value}\n")
    argv = [
        word.replace("StrictHostKeyChecking=no", "StrictHostKeyChecking=yes").replace("/dev/null", str(known))
        for word in cloud.ssh_argv(address, "true")
    ]
    import subprocess

    assert subprocess.run(argv, timeout=30).returncode == 0
    cloud.delete(node)


def test_operations_can_be_listed_and_forgotten(cloud):
    node = cloud.node("ops")
    client = cloud.client()
    operations = client.transport.operations_client
    listed = list(operations.list_operations(cloud.parent, ""))
    assert all(operation.done for operation in listed)
    operations.cancel_operation(listed[-1].name)
    operations.delete_operation(listed[-1].name)
    with pytest.raises(exceptions.NotFound):
        operations.get_operation(listed[-1].name)
    cloud.delete(node)


def test_nobody_without_the_token(cloud):
    with pytest.raises(exceptions.Unauthenticated, match="Bearer"):
        cloud.client(token="wrong").list_nodes(parent=cloud.parent)


def test_the_alpha_version_is_served_by_the_same_nodes(cloud):
    alpha = cloud.client(tpu_v2alpha1)
    node = tpu_v2alpha1.Node(accelerator_type="v5litepod-4", runtime_version=RUNTIME)
    operation = alpha.create_node(parent=cloud.parent, node_id="alpha", node=node)
    made = finished(operation)
    assert isinstance(made, tpu_v2alpha1.Node)
    assert operation.metadata.api_version == "v2alpha1"
    assert cloud.client().get_node(name=made.name).id == made.id
    finished(alpha.delete_node(name=made.name))
