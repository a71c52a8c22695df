from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request

import pytest
from emulated import eventually

ROOT = "/computeMetadata/v1/"


@pytest.fixture(scope="module")
def node(cloud):
    return cloud.node("meta", "v5litepod-16", metadata={"startup": "x"})


@pytest.fixture(scope="module")
def port(cloud, node):
    done = cloud.ssh(node.network_endpoints[0].ip_address, "echo ${GCE_METADATA_IP#*:}")
    return int(done.stdout)


def fetch(address, port, path, headers=None, timeout=20):
    headers = {"Metadata-Flavor": "Google"} if headers is None else headers
    request = urllib.request.Request(f"http://{address}:{port}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=timeout) as reply:
        assert reply.headers["Metadata-Flavor"] == "Google"
        return reply.read().decode(), reply.headers["ETag"]


def value(node, port, path, worker=0):
    return fetch(node.network_endpoints[worker].ip_address, port, ROOT + path)[0]


def test_each_worker_learns_who_it_is(cloud, node, port):
    addresses = [endpoint.ip_address for endpoint in node.network_endpoints]
    for worker in range(4):
        assert value(node, port, "instance/attributes/agent-worker-number", worker) == str(worker)
        assert value(node, port, "instance/attributes/worker-network-endpoints", worker) == ",".join(
            addresses
        )
        assert f"WORKER_ID: '{worker}'" in value(node, port, "instance/attributes/tpu-env", worker)
        assert value(node, port, "instance/name", worker).endswith(f"-w-{worker}")
    assert value(node, port, "instance/attributes/startup") == "x"
    assert value(node, port, "instance/preempted") == "FALSE"
    assert value(node, port, "project/project-id") == cloud.info.project
    assert value(node, port, "instance/zone").endswith("/us-central1-a")
    assert "error" in json.loads(value(node, port, "instance/upcoming-maintenance"))


def test_folders_and_recursion(node, port):
    assert "attributes/" in value(node, port, "instance/").splitlines()
    found = json.loads(value(node, port, "instance/service-accounts/default/?recursive=true"))
    assert found["email"].endswith(".iam.gserviceaccount.com")
    assert isinstance(found["scopes"], list)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        (ROOT + "instance/id", {}, 403),
        (ROOT + "instance/id", {"Metadata-Flavor": "Google", "X-Forwarded-For": "1.2.3.4"}, 403),
        (ROOT + "instance/attributes/none", None, 404),
        ("/etc/passwd", None, 404),
    ],
)
def test_what_is_refused(node, port, path, headers, status):
    with pytest.raises(urllib.error.HTTPError) as caught:
        fetch(node.network_endpoints[0].ip_address, port, path, headers)
    with caught.value as error:
        assert error.code == status


def test_waiting_for_a_change(cloud, node, port):
    address = node.network_endpoints[1].ip_address
    path = ROOT + "instance/attributes/startup"
    before, etag = fetch(address, port, path)
    assert fetch(address, port, path + "?wait_for_change=true&last_etag=other")[0] == before
    start = time.monotonic()
    assert fetch(address, port, path + f"?wait_for_change=true&last_etag={etag}&timeout_sec=0.3")[0] == before
    assert time.monotonic() - start >= 0.3

    seen = []
    waiter = threading.Thread(
        target=lambda: seen.append(fetch(address, port, path + "?wait_for_change=true")[0])
    )
    waiter.start()
    time.sleep(0.3)
    assert not seen
    changed = cloud.client().get_node(name=node.name)
    changed.metadata["startup"] = "y"
    cloud.client().update_node(node=changed, update_mask={"paths": ["metadata"]})
    eventually(lambda: seen == ["y"], timeout=5)
    waiter.join()


def test_it_does_not_reveal_tokens(cloud, node, port):
    everything = value(node, port, "?recursive=true")
    assert cloud.info.token not in everything
    assert cloud.info.storage_url not in everything


def test_a_deleted_worker_has_no_metadata(cloud, port):
    gone = cloud.node("gone").network_endpoints[0].ip_address
    fetch(gone, port, ROOT + "instance/id")
    cloud.client().delete_node(name=f"{cloud.parent}/nodes/gone")

    def is_closed():
        try:
            fetch(gone, port, ROOT + "instance/id")
        except OSError:
            return True
        return False

    eventually(is_closed)
