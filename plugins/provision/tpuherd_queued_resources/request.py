"""One queued resource that was asked for, through its states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd import ProvisionError
from tpuherd.accelerators import resolve
from tpuherd.cloud.classification import STOCKOUT, UNKNOWN
from tpuherd.cloud.failures import from_status
from tpuherd.cloud.labels import is_ours
from tpuherd.cloud.nodes import addressed
from tpuherd.cloud.queued import labels_of
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.cloud.supply import Phase, Progress
from tpuherd_queued_resources.states import PHASES, Action, action_for

if TYPE_CHECKING:
    from tpuherd import Job
    from tpuherd.cloud.client import TpuApi
    from tpuherd.cloud.target import Target


class QueuedRequest:
    """A queued resource that was asked for: see `tpuherd.cloud.supply.Request`."""

    def __init__(self, api: TpuApi, job: Job, target: Target) -> None:
        """Keep what is known."""
        self._api = api
        self._job = job
        self.target = target
        self.queued_resource_id: str | None = target.name
        self._seen = False

    def look(self) -> Progress:
        """See `Request.look`."""
        resource = self._api.get("get_queued_resource", f"queuedResources/{self.target.name}")
        if resource is None and self._seen:
            raise CloudRefused(f"{self._what} went away while it was waited for", UNKNOWN)
        if resource is None:
            return Progress(phase=Phase.ACCEPTED, state="")
        self._seen = True
        return self._progress(resource)

    def _progress(self, resource: Any) -> Progress:
        if not is_ours(labels_of(resource), self._job):
            raise ProvisionError(f"{self._what}: somebody else has made a queued resource of this name")
        action, state = action_for(resource.state.state.name), resource.state.state.name
        if action not in PHASES:
            self._complain(action, resource.state)
        nodes = () if action is Action.WAIT_IN_LINE else self._nodes()
        return Progress(phase=PHASES[action], state=state, nodes=nodes)

    def _complain(self, action: Action, state: Any) -> None:
        """Say why it will not become active."""
        if action is Action.READ_ERROR:
            raise from_status(self._what, state.failed_data.error)
        what, who = f"{self._what} became {state.state.name}", state.state_initiator.name
        if action is Action.SAY_WHO and who == "SERVICE":
            raise CloudRefused(f"{what} (by service): its slices were preempted", STOCKOUT)
        raise ProvisionError(f"{what} (by {who.lower()}): somebody has deleted its slices or itself")

    def _nodes(self) -> tuple[Any, ...]:
        """All its nodes, in order, once all addresses are known; one call, however many there are."""
        workers = resolve(self.target.accelerator).workers
        nodes = self._listed() if self.target.slices > 1 else [self._single()]
        complete = all(node is not None and self._is_its(node) and addressed(node, workers) for node in nodes)
        return tuple(nodes) if complete else ()

    def _is_its(self, node: Any) -> bool:
        """True unless somebody else has taken the name in the meantime: it is about to fail then."""
        return is_ours(dict(node.labels), self._job)

    def _single(self) -> Any | None:
        return self._api.get("get_node", f"nodes/{self.target.node_ids[0]}")

    def _listed(self) -> list[Any | None]:
        by_id = {node.name.rpartition("/")[2]: node for node in self._api.listed("list_nodes").items}
        return [by_id.get(name) for name in self.target.node_ids]

    @property
    def _what(self) -> str:
        return f"queued resource {self.target.name} in {self.target.zone}"
