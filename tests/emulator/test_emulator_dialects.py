"""The two versions of the API give the same fields other numbers, other names, other types."""

from __future__ import annotations

import pytest
from google.cloud import tpu_v2, tpu_v2alpha1

from tpuherd_emulator.api import dialects
from tpuherd_emulator.api.messages import BY_VERSION

NODE = {
    "name": "n",
    "queued_resource": "q",  # 47 in v2 and 43 in v2alpha1, where 47 is multislice_node
    "multislice_node": True,
    "accelerator_config": {"type_": "V5P", "topology": "2x2x1"},
    "network_configs": [{"network": "a"}, {"network": "b"}],
    "labels": {"a": "b"},
    "network_endpoints": [{"ip_address": "10.0.0.1", "access_config": {"external_ip": "1.2.3.4"}}],
}


def told(message, version):
    return dialects.in_version(dialects.plain(message), version)


def test_a_node_means_the_same():
    old, new = tpu_v2.Node(NODE), tpu_v2alpha1.Node(NODE)
    assert told(old, "v2alpha1") == dialects.plain(new)
    assert told(new, "v2") == dialects.plain(old)


def test_a_queued_resource_means_the_same():
    spec = {"parent": "p", "node": NODE}
    old = tpu_v2.QueuedResource(
        tpu={"node_spec": [{**spec, "multislice_params": {"node_count": 3, "node_id_prefix": "x"}}]},
        spot={},  # 3 in v2, which is best_effort in v2alpha1
        reservation_name="r",
        state={"state": "FAILED", "failed_data": {"error": {"code": 8, "message": "none left"}}},
    )
    new = tpu_v2alpha1.QueuedResource(
        tpu={"node_spec": [{**spec, "multi_node_params": {"node_count": 3, "node_id_prefix": "x"}}]},
        spot={},
        reservation_name="r",
        state={"state": "FAILED", "failed_data": {"error": {"code": 8, "message": "none left"}}},
    )
    assert told(old, "v2alpha1") == dialects.plain(new)
    assert told(new, "v2") == dialects.plain(old)


def test_what_the_other_version_does_not_know_is_dropped():
    new = tpu_v2alpha1.Node(name="n", autocheckpoint_enabled=True, upcoming_maintenance={"type_": 1})
    assert told(new, "v2") == dialects.plain(tpu_v2.Node(name="n"))


def test_each_version_is_the_newest_to_itself():
    newest, older = tpu_v2.Node.ApiVersion.V2, tpu_v2.Node.ApiVersion.V1
    assert told(tpu_v2.Node(api_version=newest), "v2alpha1").api_version == 3
    assert told(tpu_v2alpha1.Node(api_version=3), "v2").api_version == newest
    assert told(tpu_v2.Node(api_version=older), "v2alpha1").api_version == older


def every_message():
    package = tpu_v2.Node.pb(tpu_v2.Node()).DESCRIPTOR.file.message_types_by_name
    return sorted(name for name in package if hasattr(BY_VERSION["v2alpha1"], name))


@pytest.mark.parametrize("name", every_message())
def test_every_message_of_v2_is_known_inside(name):
    """A field of a new library version that the other side does not have would be lost silently."""
    old, new = (dialects.plain_class(version, name).DESCRIPTOR for version in ("v2", "v2alpha1"))
    lost = [field.name for field in old.fields if dialects._counterpart(field, new) is None]
    assert not lost


def test_all_of_v2_is_in_the_inner_version():
    package = tpu_v2.Node.pb(tpu_v2.Node()).DESCRIPTOR.file.message_types_by_name
    assert set(package) == set(every_message())
