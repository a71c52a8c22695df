"""A queued resource of the TPU API as a way to get slices."""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.labels import ATTEMPT, is_ours
from tpuherd.cloud.listing import whole
from tpuherd.cloud.placement import Placement
from tpuherd.cloud.queued import first_spec, labels_of, slices_of
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.cloud.supply import Found
from tpuherd.cloud.target import Target
from tpuherd_queued_resources.asking import queued_message
from tpuherd_queued_resources.request import QueuedRequest
from tpuherd_queued_resources.states import KEPT

if TYPE_CHECKING:
    from tpuherd import Job


class QueuedResources:
    """The supply of `tpu.allocation_mode: queued-resources`: see `tpuherd.cloud.supply.Supply`."""

    noun = "queued resource"
    ranks: tuple[str, ...] = KEPT

    def __init__(self, job: Job) -> None:
        """Keep the job."""
        self._job = job
        self._request_ids: dict[Target, str] = {}

    def listed(self, zone: str) -> list[Found]:
        """See `Supply.listed`."""
        items = whole(self._job.cloud, zone, "list_queued_resources")
        found = [_found(item, self._job) for item in items if first_spec(item)]
        return [one for one in found if one.ours]

    def find(self, target: Target) -> Found | None:
        """See `Supply.find`: of this name, or a node that has the name of one of its nodes."""
        resource = self._api(target).get("get_queued_resource", f"queuedResources/{target.name}")
        return self._in_the_way(target) if resource is None else _found(resource, self._job)

    def ask(self, target: Target) -> QueuedRequest:
        """See `Supply.ask`.

        The request id stays the same as long as it is not known whether the API has heard it; after an
        answer, the next request is another one.
        """
        api = self._api(target)
        request_id = self._request_ids.setdefault(target, str(uuid.uuid4()))
        try:
            api.change(
                "create_queued_resource",
                parent=api.parent,
                queued_resource_id=target.name,
                queued_resource=queued_message(self._job, target, api.parent),
                request_id=request_id,
            )
        except CloudRefused as error:
            if not error.unanswered:
                del self._request_ids[target]
            raise
        del self._request_ids[target]
        return QueuedRequest(api, self._job, target)

    def adopt(self, found: Found) -> QueuedRequest:
        """See `Supply.adopt`."""
        return QueuedRequest(self._api(found.target), self._job, found.target)

    def withdraw(self, target: Target) -> None:
        """See `Supply.withdraw`: with its nodes."""
        from google.api_core.exceptions import NotFound

        api = self._api(target)
        name = f"{api.parent}/queuedResources/{target.name}"
        resource = api.read("get_queued_resource", name=name)
        if resource is None or not is_ours(labels_of(resource), self._job):
            return
        if resource.state.state.name != "DELETING":
            with suppress(NotFound):
                api.change("delete_queued_resource", name=name, force=True)

    def _in_the_way(self, target: Target) -> Found | None:
        """A node that was made otherwise, and has the name of one that is going to be made."""
        api = self._api(target)
        nodes = (api.get("get_node", f"nodes/{name}") for name in target.node_ids)
        node = next((node for node in nodes if node is not None), None)
        if node is None:
            return None
        taken = Target(placement=target.placement, name=node.name.rpartition("/")[2])
        return Found(noun="node", target=taken, state=node.state.name, ours=False)

    def _api(self, target: Target) -> TpuApi:
        return TpuApi(self._job.cloud, target.zone)


def _found(resource: Any, job: Job) -> Found:
    _, _, _, zone, _, name = resource.name.split("/")
    labels = labels_of(resource)
    spec: Any = first_spec(resource)
    placement = Placement(zone=zone, accelerator=spec.node.accelerator_type if spec else "")
    return Found(
        noun="queued resource",
        target=Target(placement=placement, name=name, slices=slices_of(resource)),
        state=resource.state.state.name,
        ours=is_ours(labels, job),
        attempt=labels.get(ATTEMPT, ""),
    )
