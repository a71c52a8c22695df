"""One node of the TPU API as a way to get a slice."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tpuherd import ProvisionError
from tpuherd.accelerators import resolve
from tpuherd.cloud.asking import node_message
from tpuherd.cloud.classification import STOCKOUT, UNKNOWN
from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.failures import from_status
from tpuherd.cloud.labels import ATTEMPT, is_ours
from tpuherd.cloud.listing import whole
from tpuherd.cloud.nodes import addressed
from tpuherd.cloud.placement import Placement
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.cloud.supply import Found, Phase, Progress
from tpuherd.cloud.target import Target

if TYPE_CHECKING:
    from tpuherd import Job

TAKEN_BACK = frozenset({"PREEMPTED", "TERMINATED"})
"""The cloud took it: there is no capacity for it now."""
UNUSABLE = frozenset({"STOPPED", "STOPPING", "HIDING", "HIDDEN", "UNKNOWN"})
"""It does not become ready by itself."""


class Nodes:
    """The supply of `tpu.allocation_mode: tpu-vm`: see `tpuherd.cloud.supply.Supply`."""

    noun = "node"
    ranks: tuple[str, ...] = ("READY", "CREATING", "STARTING", "RESTARTING", "REIMAGING", "REPAIRING")

    def __init__(self, job: Job) -> None:
        """Keep the job."""
        self._job = job

    def listed(self, zone: str) -> list[Found]:
        """See `Supply.listed`; nodes that came through a queued resource are its plugin's."""
        nodes = whole(self._job.cloud, zone, "list_nodes")
        found = [_found(node, self._job) for node in nodes if not node.queued_resource]
        return [one for one in found if one.ours]

    def find(self, target: Target) -> Found | None:
        """See `Supply.find`."""
        node = self._api(target).get("get_node", f"nodes/{target.name}")
        return None if node is None else _found(node, self._job)

    def ask(self, target: Target) -> CreatedNode:
        """See `Supply.ask`."""
        api = self._api(target)
        message = node_message(self._job, target)
        operation = api.change("create_node", parent=api.parent, node_id=target.name, node=message)
        return CreatedNode(api, self._job, target, str(operation.operation.name))

    def adopt(self, found: Found) -> CreatedNode:
        """See `Supply.adopt`."""
        return CreatedNode(self._api(found.target), self._job, found.target, None)

    def withdraw(self, target: Target) -> None:
        """See `Supply.withdraw`."""
        from google.api_core.exceptions import NotFound

        found = self.find(target)
        if found and found.ours and not found.leaving:
            api = self._api(target)
            with suppress(NotFound):
                api.change("delete_node", name=f"{api.parent}/nodes/{target.name}")

    def _api(self, target: Target) -> TpuApi:
        return TpuApi(self._job.cloud, target.zone)


class CreatedNode:
    """A node that was asked for: see `tpuherd.cloud.supply.Request`."""

    def __init__(self, api: TpuApi, job: Job, target: Target, operation: str | None) -> None:
        """Keep what is known; without an operation, another process has asked for it."""
        self._api = api
        self._job = job
        self.target = target
        self.queued_resource_id: str | None = None
        self._operation = operation

    def look(self) -> Progress:
        """See `Request.look`."""
        node = self._read()
        if node is None and not self._pending():
            node = self._read()  # it may have come between the two answers
            if node is None:
                raise CloudRefused(f"{self._what} went away while it was waited for", UNKNOWN)
        return Progress(phase=Phase.ACCEPTED, state="") if node is None else self._progress(node)

    def _read(self) -> Any | None:
        return self._api.get("get_node", f"nodes/{self.target.name}")

    def _progress(self, node: Any) -> Progress:
        self._require_usable(node)
        ready = node.state.name == "READY"
        return Progress(
            phase=Phase.REACHABLE if ready else Phase.ACTIVE,
            state=node.state.name,
            nodes=(node,) if addressed(node, resolve(self.target.accelerator).workers) else (),
        )

    def _require_usable(self, node: Any) -> None:
        if not is_ours(dict(node.labels), self._job):
            raise ProvisionError(f"{self._what}: somebody else has made a node of this name")
        state = node.state.name
        if state == "DELETING":
            raise ProvisionError(f"{self._what} became DELETING: somebody has deleted it")
        if state in TAKEN_BACK | UNUSABLE:
            text = f"{self._what} became {state} {node.health_description}".strip()
            raise CloudRefused(text, STOCKOUT if state in TAKEN_BACK else UNKNOWN)

    def _pending(self) -> bool:
        """True if the node can still come; raises for why it does not."""
        status = self._api.operation(self._operation) if self._operation else None
        if status is not None and status.done and status.error.code:
            raise from_status(f"creating {self._what}", status.error)
        return self._operation is not None and (status is None or not status.done)

    @property
    def _what(self) -> str:
        return f"node {self.target.name} in {self.target.zone}"


def _found(node: Any, job: Job) -> Found:
    _, _, _, zone, _, name = node.name.split("/")
    labels = dict(node.labels)
    return Found(
        noun="node",
        target=Target(placement=Placement(zone=zone, accelerator=node.accelerator_type), name=name),
        state=node.state.name,
        ours=is_ours(labels, job),
        attempt=labels.get(ATTEMPT, ""),
    )
