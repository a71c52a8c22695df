"""The life of one node of the TPU API."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tpuherd import Allocation, ProvisionError
from tpuherd.cloud.arrival import poll, wait_for_workers
from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.failures import from_status
from tpuherd.cloud.labels import is_ours, require_ours
from tpuherd.cloud.nodes import GONE, node_name, node_request, to_slices, zone_of

if TYPE_CHECKING:
    from tpuherd import Job

DELETE_TIMEOUT_S = 600.0


def get_slice(job: Job) -> Allocation:
    """Create the job's node or adopt the one that an interrupted call created, and wait for its workers."""
    api = TpuApi(job.cloud, zone_of(job))
    operation = _create(api, job)
    node = poll(
        job,
        lambda: _ready(api, job, operation),
        what=f"node {node_name(job)}",
        timeout_s=job.spec.tpu.provision_timeout_s,
        setting="tpu.provision_timeout_s",
    )
    return wait_for_workers(job, Allocation(slices=to_slices([node]), project=job.cloud.project))


def _create(api: TpuApi, job: Job) -> str | None:
    """Ask for the node; the name of the operation, or `None` if the node is there already and ours."""
    from google.api_core.exceptions import AlreadyExists

    name = node_name(job)
    existing = api.get("get_node", f"nodes/{name}")
    if existing is not None:
        require_ours(existing, f"node {name}", job)
        return None
    job.session.forget_host_keys(name)
    try:
        operation = api.change("create_node", parent=api.parent, node_id=name, node=node_request(job))
    except AlreadyExists:
        return None
    return str(operation.operation.name)


def _ready(api: TpuApi, job: Job, operation: str | None) -> Any | None:
    """The node once it is ready; raises when it will not become so."""
    node = api.get("get_node", f"nodes/{node_name(job)}")
    if node is None:
        _raise_for(api, job, operation)
        return None
    require_ours(node, f"node {node_name(job)}", job)
    if node.state.name in GONE:
        raise ProvisionError(
            f"node {node_name(job)} became {node.state.name} {node.health_description}".strip()
        )
    return node if node.state.name == "READY" else None


def _raise_for(api: TpuApi, job: Job, operation: str | None) -> None:
    """The node is not there: its operation tells why; without an operation it was deleted by somebody."""
    what = f"creating node {node_name(job)}"
    if operation is None:
        raise ProvisionError(f"{what}: it went away while it was waited for")
    status = api.operation(operation)
    if status is not None and status.done and status.error.code:
        raise from_status(what, status.error.code, status.error.message)


def delete_slice(job: Job, allocation: Allocation | None) -> None:
    """Delete the job's node and wait until it is gone; what is not ours or not there stays as it is.

    An attempt that kept the slice of an earlier one has a node with that one's name.
    """
    api = TpuApi(job.cloud, allocation.zone if allocation else zone_of(job))
    name = allocation.slices[0].node_id if allocation else node_name(job)
    node = api.get("get_node", f"nodes/{name}")
    if node is None or not is_ours(dict(node.labels), job):
        return
    if node.state.name != "DELETING":
        _delete(api, name)
    poll(
        job,
        lambda: api.get("get_node", f"nodes/{name}") is None or None,
        what=f"the deletion of node {name}",
        timeout_s=DELETE_TIMEOUT_S,
    )


def _delete(api: TpuApi, name: str) -> None:
    from google.api_core.exceptions import NotFound

    with suppress(NotFound):
        api.change("delete_node", name=f"{api.parent}/nodes/{name}")
