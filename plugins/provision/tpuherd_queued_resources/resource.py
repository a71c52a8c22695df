"""The life of one queued resource of the TPU API."""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tpuherd import Allocation, ProvisionError
from tpuherd.cloud.arrival import poll, wait_for_workers
from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.failures import from_status
from tpuherd.cloud.labels import is_ours, require_ours
from tpuherd.cloud.nodes import node_name, node_request, to_slices, zone_of

if TYPE_CHECKING:
    from tpuherd import Job

DELETE_TIMEOUT_S = 600.0
GONE = ("SUSPENDING", "SUSPENDED", "DELETING")
"""States from which a queued resource does not become active; `FAILED` has an error of its own."""


def get_slices(job: Job) -> Allocation:
    """Ask for the queued resource or adopt what an interrupted call asked for; wait for all workers."""
    api = TpuApi(job.cloud, zone_of(job))
    name = node_name(job)
    if api.get("get_queued_resource", f"queuedResources/{name}") is None:
        _create(api, job)
    nodes = poll(
        job,
        lambda: _nodes(api, job),
        what=f"queued resource {name}",
        timeout_s=job.spec.tpu.provision_timeout_s,
        setting="tpu.provision_timeout_s",
    )
    allocation = Allocation(slices=to_slices(nodes), project=job.cloud.project, queued_resource_id=name)
    return wait_for_workers(job, allocation)


def _create(api: TpuApi, job: Job) -> None:
    """Ask for it; its name makes it safe to ask twice, also after a crash.

    The request id only covers what the network repeats: one per attempt would get the old answer, and no
    slices, where an earlier try of the same attempt has given its slices back.
    """
    from google.api_core.exceptions import AlreadyExists

    name = node_name(job)
    for node in _node_names(job):
        job.session.forget_host_keys(node)
    try:
        api.change(
            "create_queued_resource",
            parent=api.parent,
            queued_resource_id=name,
            queued_resource=_request(job, api.parent),
            request_id=str(uuid.uuid4()),
        )
    except AlreadyExists as error:
        if api.get("get_queued_resource", f"queuedResources/{name}") is None:
            raise ProvisionError(
                f"queued resource {name}: {error.message}, and job {job.id} did not make it: "
                "choose another `tpu.name`"
            ) from error


def _request(job: Job, parent: str) -> dict[str, Any]:
    node = node_request(job)
    scheduling = node.pop("scheduling_config")
    tier: dict[str, Any] = {"spot": {}} if scheduling["spot"] or scheduling["preemptible"] else {}
    return {"tpu": {"node_spec": [{"parent": parent, "node": node} | _ids(job)]}, **tier}


def _ids(job: Job) -> dict[str, Any]:
    name = node_name(job)
    if job.spec.tpu.slices == 1:
        return {"node_id": name}
    return {"multislice_params": {"node_count": job.spec.tpu.slices, "node_id_prefix": name}}


def _node_names(job: Job) -> list[str]:
    name, count = node_name(job), job.spec.tpu.slices
    return [name] if count == 1 else [f"{name}-{number}" for number in range(count)]


def _nodes(api: TpuApi, job: Job) -> list[Any] | None:
    """All nodes once the queued resource is active; raises when it will not become so."""
    name = node_name(job)
    resource = api.get("get_queued_resource", f"queuedResources/{name}")
    if resource is None:
        raise ProvisionError(f"queued resource {name} went away while it was waited for")
    _require_ours(resource, job)
    state = resource.state.state.name
    if state == "FAILED":
        error = resource.state.failed_data.error
        raise from_status(f"queued resource {name}", error.code, error.message)
    if state in GONE:
        raise ProvisionError(
            f"queued resource {name} became {state} (by {resource.state.state_initiator.name.lower()})"
        )
    return _ready_nodes(api, job) if state == "ACTIVE" else None


def _ready_nodes(api: TpuApi, job: Job) -> list[Any] | None:
    nodes = [api.get("get_node", f"nodes/{name}") for name in _node_names(job)]
    ready = [node for node in nodes if node is not None and node.state.name == "READY"]
    return ready if len(ready) == len(nodes) else None


def _require_ours(resource: Any, job: Job) -> None:
    """A queued resource has no labels of its own: those of the nodes that it asks for say whose it is."""
    require_ours(resource.tpu.node_spec[0].node, f"queued resource {resource.name.rpartition('/')[2]}", job)


def delete_slices(job: Job, allocation: Allocation | None) -> None:
    """Delete the queued resource with its nodes, and wait until it is gone; what is not ours stays.

    An attempt that kept the slices of an earlier one has a queued resource with that one's name.
    """
    api = TpuApi(job.cloud, allocation.zone if allocation else zone_of(job))
    name = (allocation and allocation.queued_resource_id) or node_name(job)
    resource = api.get("get_queued_resource", f"queuedResources/{name}")
    if resource is None or not is_ours(dict(resource.tpu.node_spec[0].node.labels), job):
        return
    if resource.state.state.name != "DELETING":
        _delete(api, name)
    poll(
        job,
        lambda: api.get("get_queued_resource", f"queuedResources/{name}") is None or None,
        what=f"the deletion of queued resource {name}",
        timeout_s=DELETE_TIMEOUT_S,
    )


def _delete(api: TpuApi, name: str) -> None:
    from google.api_core.exceptions import NotFound

    with suppress(NotFound):
        api.change("delete_queued_resource", name=f"{api.parent}/queuedResources/{name}", force=True)
