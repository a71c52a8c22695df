"""Everything that is known about one TPU."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.client import TpuApi
from tpuherd.errors import ProvisionError, StateError
from tpuherd.fleet.maintenance import VERSION, Maintenance, event_of
from tpuherd.fleet.tpu import Kind

if TYPE_CHECKING:
    from tpuherd.fleet.tpu import Tpu
    from tpuherd.model.cloud import Cloud

PUBLIC_METADATA = ("ssh-keys",)
"""Metadata whose values are no secrets; of all other items only the names are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a row of the fleet does not have."""

    runtime_version: str
    topology: str
    network: str
    service_account: str
    tags: tuple[str, ...]
    metadata: dict[str, str]
    """Items; values that may be secret are left out."""
    endpoints: tuple[tuple[str, str], ...]
    """Internal and external address of each worker, in their order; no external one: empty."""
    data_disks: tuple[str, ...]
    maintenance: Maintenance | None
    maintenance_known: bool
    """False if the API's v2alpha1 did not answer."""
    queued_resource: dict[str, str]
    """State, who caused it, and error of the queued resource; empty if there is none."""


def describe(cloud: Cloud, tpu: Tpu) -> Description:
    """Read one TPU again, with everything that the API says about it.

    Raises:
        StateError: it has gone.
        ProvisionError: the API did not answer.
    """
    api = TpuApi(cloud, tpu.zone)
    resource = _queued(api, tpu)
    node, known = _node(cloud, tpu) if tpu.kind is Kind.NODE else (None, False)
    shown = node if node is not None else resource and resource.tpu.node_spec[0].node
    if shown is None:
        raise StateError(f"{tpu.place} has gone")
    return Description(
        runtime_version=shown.runtime_version,
        topology=shown.accelerator_config.topology,
        network=shown.network_config.network,
        service_account=shown.service_account.email,
        tags=tuple(shown.tags),
        metadata={key: value if key in PUBLIC_METADATA else "…" for key, value in shown.metadata.items()},
        endpoints=tuple((e.ip_address, e.access_config.external_ip) for e in shown.network_endpoints),
        data_disks=tuple(disk.source_disk for disk in shown.data_disks),
        maintenance=event_of(node) if known else None,
        maintenance_known=known,
        queued_resource=_queue_facts(resource) if resource else {},
    )


def as_json(description: Description) -> dict[str, Any]:
    """For scripts."""
    endpoints = [{"internal": inner, "external": outer} for inner, outer in description.endpoints]
    return asdict(description) | {"endpoints": endpoints}


def _node(cloud: Cloud, tpu: Tpu) -> tuple[Any, bool]:
    """The node, from v2alpha1 if it answers; whether it does."""
    try:
        return TpuApi(cloud, tpu.zone, version=VERSION).get("get_node", f"nodes/{tpu.name}"), True
    except ProvisionError:
        return TpuApi(cloud, tpu.zone).get("get_node", f"nodes/{tpu.name}"), False


def _queued(api: TpuApi, tpu: Tpu) -> Any | None:
    if not tpu.queued_resource:
        return None
    return api.get("get_queued_resource", f"queuedResources/{tpu.queued_resource}")


def _queue_facts(resource: Any) -> dict[str, str]:
    facts = {
        "name": resource.name.rpartition("/")[2],
        "state": resource.state.state.name,
        "caused_by": resource.state.state_initiator.name.removeprefix("STATE_INITIATOR_"),
        "error": resource.state.failed_data.error.message,
        "reservation": resource.reservation_name,
    }
    return {key: value for key, value in facts.items() if value}
