"""The REST API as it is on the wire."""

from __future__ import annotations

import http.client
import json
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from emulated import eventually
from google.api_core import exceptions
from google.cloud import tpu_v2
from google.cloud.tpu_v2.services.tpu.transports.rest_base import _BaseTpuRestTransport

from tpuherd_emulator.control.client import Control
from tpuherd_emulator.rest import newer, routes

NODE = {"acceleratorType": "v5litepod-4", "runtimeVersion": "v2-alpha-tpuv5-lite"}


@pytest.fixture(scope="module")
def call(cloud):
    """Return a function that sends one request: (status, JSON, text)."""
    url = urlsplit(cloud.info.rest_url)

    def send(verb, path, body=None, prefix=url.path):
        connection = http.client.HTTPConnection(url.netloc, timeout=30)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection.request(verb, f"{prefix}/{path}", data)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, json.loads(text), text

    return send


@pytest.fixture(scope="module")
def zone(cloud):
    return f"v2/{cloud.parent}"


def test_the_routes_are_those_of_the_generated_client():
    rules = {}
    for name in dir(_BaseTpuRestTransport):
        inner = getattr(_BaseTpuRestTransport, name)
        if hasattr(inner, "_get_http_options"):
            (rule,) = inner._get_http_options()
            path = rule["uri"].removeprefix("/v2/")
            rules[name.removeprefix("_Base")] = (rule["method"].upper(), path, rule.get("body", ""))
    alpha = {"SimulateMaintenanceEvent", "PerformMaintenance", "PerformMaintenanceQueuedResource"}
    alpha.add("ListReservations")
    ours = {
        route.method: (route.verb, route.template, route.body)
        for route in routes.ROUTES
        if route.method not in alpha
    }
    assert ours == rules


def test_nobody_without_the_token(cloud, call, zone):
    right = urlsplit(cloud.info.rest_url).path
    for prefix in ("", "/wrong", right[:-1], right + "x"):
        status, answer, _ = call("GET", f"{zone}/nodes", prefix=prefix)
        assert (status, answer["error"]["status"]) == (401, "UNAUTHENTICATED")
        assert right.strip("/") not in json.dumps(answer)
    assert cloud.info.token not in cloud.info.rest_url
    assert call("GET", f"{zone}/nodes")[0] == 200


def test_a_node_comes_and_goes(call, zone):
    status, operation, _ = call("POST", f"{zone}/nodes?nodeId=wire", NODE)
    assert status == 200
    assert operation["metadata"]["@type"] == "type.googleapis.com/google.cloud.tpu.v2.OperationMetadata"
    done = eventually_done(call, operation)
    assert done["response"]["@type"] == "type.googleapis.com/google.cloud.tpu.v2.Node"
    assert done["response"]["state"] == "READY"
    alpha = call("GET", f"v2alpha1/{operation['name']}")[1]
    assert alpha["response"]["@type"] == "type.googleapis.com/google.cloud.tpu.v2alpha1.Node"
    (listed,) = call("GET", f"{zone}/nodes")[1]["nodes"]
    assert (listed["acceleratorConfig"]["type"], listed["apiVersion"]) == ("V5LITE_POD", "V2")
    numbers = call("GET", f"{zone}/nodes?$alt=json;enum-encoding=int")[1]["nodes"][0]
    assert (numbers["acceleratorConfig"]["type"], numbers["apiVersion"]) == (9, 4)
    (listed,) = call("GET", zone.replace("v2", "v2alpha1") + "/nodes")[1]["nodes"]
    assert listed["apiVersion"] == "V2_ALPHA1"
    status, _, text = call("GET", f"{zone}/nodes/wire?prettyPrint=false")
    assert status == 200
    assert text.count("\n") == 1
    eventually_done(call, call("DELETE", f"{zone}/nodes/wire")[1])
    status, answer, _ = call("GET", f"{zone}/nodes/wire")
    name = zone.removeprefix("v2/") + "/nodes/wire"
    assert (status, answer["error"]["code"], answer["error"]["status"]) == (404, 404, "NOT_FOUND")
    assert answer["error"]["message"] == f"Resource '{name}' was not found"
    (detail,) = answer["error"]["details"]
    assert detail["@type"] == "type.googleapis.com/google.rpc.ErrorInfo"
    assert (detail["reason"], detail["domain"]) == ("RESOURCE_NOT_FOUND", "tpu.googleapis.com")


def eventually_done(call, operation):
    found = {}

    def done():
        found.update(call("GET", f"v2/{operation['name']}")[1])
        return found.get("done")

    eventually(done)
    assert "error" not in found
    return found


def test_update_masks_in_both_spellings(call, zone):
    eventually_done(call, call("POST", f"{zone}/nodes?node_id=mask", NODE)[1])
    for mask in ("network_config.enable_external_ips", "networkConfig.enableExternalIps"):
        for wanted in (False, True):
            body = {"networkConfig": {"enableExternalIps": wanted}}
            operation = call("PATCH", f"{zone}/nodes/mask?updateMask={mask}", body)[1]
            (endpoint,) = eventually_done(call, operation)["response"]["networkEndpoints"]
            assert ("accessConfig" in endpoint) is wanted
    body = {"labels": {"trafficConfig": "a", "b": "c"}, "description": "not in the mask"}
    eventually_done(call, call("PATCH", f"{zone}/nodes/mask?updateMask=labels,tags", body)[1])
    node = call("GET", f"{zone}/nodes/mask")[1]
    assert node["labels"] == body["labels"]
    assert "description" not in node
    eventually_done(call, call("DELETE", f"{zone}/nodes/mask")[1])


@pytest.mark.parametrize("force", ["True", "true", "TRUE"])
def test_booleans_in_any_case(call, zone, force):
    spec = {"nodeId": "queued", "node": NODE, "parent": zone.removeprefix("v2/")}
    body = {"tpu": {"nodeSpec": [spec]}}
    call("POST", f"{zone}/queuedResources?queuedResourceId=flag", body)
    eventually(
        lambda: call("GET", f"{zone}/queuedResources/flag")[1]["state"]["state"] == "ACTIVE",
    )
    status, answer, _ = call("DELETE", f"{zone}/queuedResources/flag?force=False")
    assert (status, answer["error"]["status"]) == (400, "FAILED_PRECONDITION")
    eventually_done(call, call("DELETE", f"{zone}/queuedResources/flag?force={force}")[1])


@pytest.mark.parametrize(
    ("path", "body", "text"),
    [
        ("nodes?nodeId=x&color=red", NODE, 'Unknown name "color": Cannot bind query parameter'),
        ("nodes?nodeId=x", {**NODE, "colour": 1}, "colour"),
        ("nodes?nodeId=x", {**NODE, "tags": 7}, "tags"),
        ("nodes?nodeId=x", b"{", "Invalid JSON payload received"),
        ("nodes?nodeId=x", b"\xff", "Invalid JSON payload received"),
        ("nodes?nodeId=x", b"[]", "Root element must be a message"),
        ("nodes?nodeId=x", {**NODE, "acceleratorConfig": {"type": "V99"}}, "V99"),
        ("nodes?nodeId=Bad", NODE, "node_id"),
    ],
)
def test_what_is_refused(call, zone, path, body, text):
    status, answer, _ = call("POST", f"{zone}/{path}", body)
    assert (status, answer["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert text in answer["error"]["message"]
    assert call("GET", f"{zone}/nodes")[1] == {}


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("GET", "v3/projects/p/locations/z/nodes"),
        ("GET", "v2/nonsense"),
        ("PUT", "v2/projects/p/locations/z/nodes/n"),
        ("POST", "v2/projects/p/locations/z/nodes/n:simulateMaintenanceEvent"),
        ("GET", "v1/projects/p/locations/z/nodes"),
        ("GET", "compute/v1/projects/another"),
        ("GET", "compute/v1/projects/another/zones"),
    ],
)
def test_urls_that_are_not_there(call, verb, path):
    status, answer, _ = call(verb, path)
    assert (status, answer["error"]["status"]) == (404, "NOT_FOUND")


def test_other_apis_as_far_as_gcloud_asks(call, cloud):
    _, project, _ = call("GET", f"compute/v1/projects/{cloud.info.project}")
    assert project["kind"] == "compute#project"
    assert project["commonInstanceMetadata"]["items"] == []
    locations = call("GET", f"v1/projects/{cloud.info.project}/locations")[1]["locations"]
    assert "us-central1-a" in {location["locationId"] for location in locations}


def test_fields_that_only_gcloud_knows_are_left_out():
    node = {"acceleratorType": "v6e-1", "labels": {"runDuration": "x"}, "upcomingMaintenance": {"type": 1}}
    spec = {"node": {**node, "dataDisks": [{"sourceDisk": "d", "workerIds": ["0"]}]}}
    told = newer.without_newer({"provisioningModel": "STANDARD", "tpu": {"nodeSpec": [spec]}})
    wanted = {"acceleratorType": "v6e-1", "labels": {"runDuration": "x"}, "dataDisks": [{"sourceDisk": "d"}]}
    assert told == {"tpu": {"nodeSpec": [{"node": wanted}]}}


def test_a_connection_is_used_again(cloud, zone):
    url = urlsplit(cloud.info.rest_url)
    with closing(http.client.HTTPConnection(url.netloc, timeout=30)) as connection:
        sockets = set()
        for _ in range(3):
            connection.request("GET", f"{url.path}/{zone}/nodes")
            assert connection.getresponse().read()
            sockets.add(connection.sock)
        assert len(sockets) == 1


def test_a_body_has_a_length(cloud, zone):
    url = urlsplit(cloud.info.rest_url)
    with closing(http.client.HTTPConnection(url.netloc, timeout=30)) as connection:
        connection.putrequest("POST", f"{url.path}/{zone}/nodes")
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        response = connection.getresponse()
        assert (response.status, json.load(response)["error"]["code"]) == (411, 411)


def test_errors_with_details(make_cloud):
    cloud = make_cloud()
    client = cloud.rest_client()
    node = tpu_v2.Node(accelerator_type="v5litepod-4", runtime_version="v2-alpha-tpuv5-lite")
    wanted = {"parent": cloud.parent, "node_id": "n", "node": node}
    with Control(cloud.info) as control:
        control.quota("us-central1", 0, generation="v5e")
        with pytest.raises(exceptions.TooManyRequests, match="in region us-central1") as caught:
            client.create_node(request=wanted)
        control.fault("api-down", count=1)
        with pytest.raises(exceptions.ServiceUnavailable, match="Please try again"):
            client.list_nodes(parent=cloud.parent)
    kinds = {detail["@type"] for detail in caught.value.response.json()["error"]["details"]}
    assert "type.googleapis.com/google.rpc.QuotaFailure" in kinds
    assert not list(client.list_nodes(parent=cloud.parent))
