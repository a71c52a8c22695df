"""Options and variables that lead other clients to an emulated cloud."""

from __future__ import annotations

import json
import os
import socket
from urllib.request import urlopen

import pytest
from emulated import finished
from google.cloud import tpu_v2

from tpuherd.errors import ConfigError, ProvisionError
from tpuherd_emulator import lifecycle
from tpuherd_emulator.choosing import chosen
from tpuherd_emulator.exports import exports
from tpuherd_emulator.options import EmulatorOptions
from tpuherd_emulator.workers.addresses import free_port, network


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"ssh_port": "x"}, "ssh_port 'x'"),
        ({"ssh_port": "70000"}, "ssh_port 70000"),
        ({"zones": "us-test1-a,Nowhere"}, "'Nowhere'"),
    ],
)
def test_options_that_make_no_sense(given, text):
    with pytest.raises(ConfigError, match=text):
        chosen(given, {})


def test_workers_on_a_chosen_port_in_a_zone_of_ones_own(make_cloud):
    port = free_port("127.0.0.1")
    cloud = make_cloud(ssh_port=port, zones=("us-test1-a",))
    assert cloud.info.ssh_port == port
    parent = f"projects/{cloud.info.project}/locations/us-test1-a"
    node = tpu_v2.Node(accelerator_type="v4-8", runtime_version="tpu-ubuntu2204-base")
    made = finished(cloud.client().create_node(parent=parent, node_id="own", node=node))
    assert cloud.ssh(made.network_endpoints[0].ip_address, "echo here").stdout == b"here\n"
    cloud.delete(made)


@pytest.mark.skipif(os.geteuid() != 0, reason="ports below 1024 need root")
def test_workers_on_the_port_that_gcloud_wants(make_cloud):
    if taken(22):
        pytest.skip("something on this machine listens on port 22 of all addresses")
    cloud = make_cloud(ssh_port=22)
    node = cloud.node("usual")
    assert cloud.ssh(node.network_endpoints[0].ip_address, "echo here").stdout == b"here\n"
    cloud.delete(node)


def taken(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def test_a_port_that_is_taken(tmp_path):
    first = f"127.{network((tmp_path / 'cloud').resolve())}.0.1"
    with socket.create_server((first, 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ProvisionError, match=f"workers cannot listen on port {port}"):
            lifecycle.up(tmp_path / "cloud", EmulatorOptions(ssh_port=port))
    lifecycle.down(tmp_path / "cloud")


def test_the_variables_for_other_clients(cloud):
    found = exports(cloud.info, cloud.directory)
    assert found["CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU"] == f"{cloud.info.rest_url}/"
    assert found["CLOUDSDK_CONFIG"].startswith(str(cloud.directory))
    url = f"{found['TPUHERD_EMULATOR_REST_URL']}/v2/projects/{found['GOOGLE_CLOUD_PROJECT']}/locations"
    with urlopen(url, timeout=60) as answer:
        assert json.load(answer)["locations"]


def test_the_state_file_is_not_behind_an_answer(cloud):
    client = cloud.client()
    node = tpu_v2.Node(accelerator_type="v5litepod-1", runtime_version="v2-alpha-tpuv5-lite")
    for number in range(5):
        name = f"fresh-{number}"
        operation = client.create_node(parent=cloud.parent, node_id=name, node=node)
        assert name in {known.name for known in lifecycle.status(cloud.directory).nodes}
        finished(client.delete_node(name=finished(operation).name))
        assert name not in {known.name for known in lifecycle.status(cloud.directory).nodes}
