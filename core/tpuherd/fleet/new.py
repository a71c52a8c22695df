"""A TPU without a job that is to be made, and the request for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tpuherd.accelerators import resolve
from tpuherd.errors import ConfigError
from tpuherd.fleet.orders import Order
from tpuherd.fleet.tpu import Kind, Tier

if TYPE_CHECKING:
    from tpuherd.model.cloud import Cloud


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTpu:
    """A TPU without a job that is to be made."""

    name: str
    zone: str
    accelerator: str
    version: str = ""
    """Runtime version; empty: the one of the generation."""
    tier: Tier = "ondemand"
    slices: int = 1
    queued: bool = False
    """Through a queued resource, which waits for capacity."""
    labels: dict[str, str]
    network: str = ""
    subnetwork: str = ""
    external_ips: bool = True
    reservation: str = ""
    """Full name of a reservation, for queued resources."""


def order_new(cloud: Cloud, new: NewTpu) -> Order:
    """The request for a new TPU.

    Raises:
        ConfigError: the TPU API does not have such a TPU.
    """
    from google.cloud.tpu_v2 import Node

    check(new)
    node = _node(cloud, new)
    if new.queued:
        body = _queued(cloud, new, node)
        return Order(kind=Kind.QUEUED_RESOURCE, zone=new.zone, name=new.name, body=body)
    return Order(kind=Kind.NODE, zone=new.zone, name=new.name, body=Node.to_json(Node(node)))


def check(new: NewTpu) -> None:
    """Refuse what the API would refuse.

    Raises:
        ConfigError: there is no such type, or the API does not sell it like this.
    """
    shape = resolve(new.accelerator)
    if shape.gke_only:
        raise ConfigError(f"only GKE sells {shape.name}, the TPU API does not: choose another generation")
    if new.slices > 1 and not new.queued:
        raise ConfigError("more than one slice needs a queued resource: add --queued")
    if new.reservation and not new.queued:
        raise ConfigError("a named reservation needs a queued resource: add --queued")
    if new.slices < 1:
        raise ConfigError(f"--slices={new.slices}: at least 1")


def _node(cloud: Cloud, new: NewTpu) -> dict[str, Any]:
    shape = resolve(new.accelerator)
    names = {"network": new.network, "subnetwork": new.subnetwork}
    scheduling = {"spot": new.tier == "spot", "preemptible": new.tier == "preemptible"}
    return {
        "accelerator_type": shape.name,
        "runtime_version": new.version or shape.runtime_version,
        "network_config": {"enable_external_ips": new.external_ips}
        | {key: value for key, value in names.items() if value},
        "scheduling_config": scheduling | {"reserved": new.tier == "reserved"},
        "labels": new.labels,
        "metadata": {"ssh-keys": f"{cloud.ssh.user}:{cloud.ssh.public_key}"},
    }


def _queued(cloud: Cloud, new: NewTpu, node: dict[str, Any]) -> str:
    from google.cloud.tpu_v2 import QueuedResource

    spot = node.pop("scheduling_config")
    several = {"multislice_params": {"node_count": new.slices, "node_id_prefix": new.name}}
    ids = {"node_id": new.name} if new.slices == 1 else several
    parent = f"projects/{cloud.project}/locations/{new.zone}"
    tier: dict[str, Any] = {"spot": {}} if spot["spot"] or spot["preemptible"] else {}
    if new.tier == "reserved":
        tier = {"guaranteed": {}, "reservation_name": new.reservation}
        node["scheduling_config"] = {"reserved": True}
    request = {"tpu": {"node_spec": [{"parent": parent, "node": node, **ids}]}, **tier}
    return str(QueuedResource.to_json(QueuedResource(request)))
