"""Maintenance: what Google has announced, and rehearsing it. Only the API's v2alpha1 knows about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.failures import from_status
from tpuherd.fleet.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.fleet.tpu import Tpu
    from tpuherd.fleet.waiting import Note
    from tpuherd.model.cloud import Cloud

VERSION = "v2alpha1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    """One announced event of one node. Times are texts as the API gives them (RFC 3339); empty: not said."""

    node: str
    zone: str
    kind: str
    """`SCHEDULED` (announced days before) or `UNSCHEDULED`."""
    status: str
    """`PENDING` or `ONGOING`."""
    begins: str
    ends: str
    begins_at_latest: str
    can_reschedule: bool
    """True if it may be begun earlier, see `perform`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """All announced events, as far as places answered."""

    events: tuple[Maintenance, ...]
    unreachable: tuple[str, ...]


def announced(cloud: Cloud, zones: Sequence[str] = ()) -> Announced:
    """Read the events of all nodes, with one call per named zone, or one for all.

    Raises:
        ProvisionError: a place refused.
    """
    from tpuherd.remote.parallel import in_parallel

    def read(zone: str) -> Any:
        return TpuApi(cloud, zone, version=VERSION).listed("list_nodes")

    listings = in_parallel(read, tuple(dict.fromkeys(zones)) or ("-",))
    events = [event for listing in listings for node in listing.items if (event := event_of(node))]
    silent = {place.rpartition("/")[2] for listing in listings for place in listing.unreachable}
    return Announced(events=tuple(events), unreachable=tuple(sorted(silent)))


def event_of(node: Any) -> Maintenance | None:
    """What is announced for a node of v2alpha1."""
    if "upcoming_maintenance" not in node:
        return None
    _, _, _, zone, _, name = node.name.split("/")
    said = node.upcoming_maintenance
    return Maintenance(
        node=name,
        zone=zone,
        kind=said.type_.name,
        status=said.maintenance_status.name,
        begins=said.window_start_time,
        ends=said.window_end_time,
        begins_at_latest=said.latest_window_start_time,
        can_reschedule=bool(said.can_reschedule),
    )


def simulate(cloud: Cloud, tpu: Tpu, worker: int, *, timeout_s: float, note: Note) -> None:
    """Have the API treat one worker as in a maintenance event.

    Raises:
        ProvisionError: the API refused, or it took too long.
    """
    _call(cloud, tpu, "simulate_maintenance_event", {"worker_ids": [str(worker)]}, timeout_s, note)


def perform(cloud: Cloud, tpu: Tpu, *, timeout_s: float, note: Note) -> None:
    """Begin the announced maintenance of a node now, instead of at a bad moment.

    Raises:
        ProvisionError: the API refused, or it took too long.
    """
    _call(cloud, tpu, "perform_maintenance", {}, timeout_s, note)


def _call(cloud: Cloud, tpu: Tpu, method: str, more: dict[str, Any], timeout_s: float, note: Note) -> None:
    from google.api_core.exceptions import NotFound

    from tpuherd.errors import ProvisionError

    api = TpuApi(cloud, tpu.zone, version=VERSION)
    try:
        operation = api.change(method, name=f"{api.parent}/nodes/{tpu.name}", **more)
    except NotFound as error:
        raise ProvisionError(f"{tpu.place} has gone") from error
    name = str(operation.operation.name)
    what = f"{method.replace('_', ' ')} of {tpu.place}"
    status = wait_for(lambda: _ended(api, name), what=what, timeout_s=timeout_s, note=note)
    if status.error.code:
        raise from_status(what, status.error)


def _ended(api: TpuApi, name: str) -> Any | None:
    """The operation once it has ended; one that is forgotten has ended, too."""
    from google.longrunning.operations_pb2 import Operation

    status = api.operation(name)
    if status is None:
        return Operation(done=True)
    return status if status.done else None
