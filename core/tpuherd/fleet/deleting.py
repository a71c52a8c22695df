"""Deleting TPUs: what was shown is read again right before, and nothing else is touched."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.labels import OWNER
from tpuherd.cloud.queued import labels_of
from tpuherd.errors import StateError
from tpuherd.fleet.messages import seconds
from tpuherd.fleet.tpu import Kind, Tpu
from tpuherd.fleet.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tpuherd.fleet.waiting import Note
    from tpuherd.model.cloud import Cloud

COLLECTIONS = {Kind.NODE: "nodes", Kind.QUEUED_RESOURCE: "queuedResources"}
GETTERS = {Kind.NODE: "get_node", Kind.QUEUED_RESOURCE: "get_queued_resource"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What the API is asked to delete: a node, or a queued resource with all its nodes."""

    kind: Kind
    name: str
    zone: str
    rows: tuple[Tpu, ...]
    """The rows of the fleet that go with it, as they were shown."""

    @property
    def what(self) -> str:
        """For messages."""
        return f"{self.kind.value} {self.name}@{self.zone}"


def targets(chosen: Iterable[Tpu], fleet: Iterable[Tpu]) -> list[Target]:
    """What has to be deleted so that the chosen rows go; a node of a queued resource goes with all of it."""
    everything = list(fleet)
    found: dict[tuple[Kind, str, str], Target] = {}
    for tpu in chosen:
        kind = Kind.QUEUED_RESOURCE if tpu.queued_resource else Kind.NODE
        name = tpu.queued_resource or tpu.name
        together = [t for t in everything if t.zone == tpu.zone and t.queued_resource == name]
        rows = tuple(together) if tpu.queued_resource else (tpu,)
        found[kind, name, tpu.zone] = Target(kind=kind, name=name, zone=tpu.zone, rows=rows)
    return list(found.values())


def named(chosen: Sequence[Target]) -> str:
    """Some targets for a question, with the nodes that go with them."""
    rows = [row.place for target in chosen for row in target.rows if row.name != target.name]
    more = f" with {', '.join(rows)}" if rows else ""
    return ", ".join(target.what for target in chosen) + more


def delete(cloud: Cloud, target: Target, *, wait: bool, timeout_s: float, note: Note) -> None:
    """Delete it, and wait until it is gone; what has gone already is deleted.

    Raises:
        StateError: another TPU has taken its place since it was shown; nothing was deleted.
        ProvisionError: the API refused, or took too long.
    """
    api = TpuApi(cloud, target.zone)
    kind = _delete(api, target, read_again(api, target), note)
    if kind and wait:
        _wait_until_gone(api, target, kind, timeout_s, note)
    note(f"{target.what} is {'gone' if wait else 'being deleted'}")


def read_again(api: TpuApi, target: Target) -> Any | None:
    """Read a target with all its rows again; its message, or `None` if it has gone.

    Raises:
        StateError: something of it has changed since it was shown.
    """
    for row in target.rows:
        require_unchanged(api, row)
    message = api.get(GETTERS[target.kind], f"{COLLECTIONS[target.kind]}/{target.name}")
    if message is not None and target.kind is Kind.QUEUED_RESOURCE:
        _require_same_queue(message, target)
    return message


def _require_same_queue(resource: Any, target: Target) -> None:
    """A queued resource is older than the nodes that came through it, and has their owner."""
    born = [row.created_at for row in target.rows if row.created_at is not None]
    newer = bool(born) and (seconds(resource.create_time) or 0.0) > min(born)
    if newer or labels_of(resource).get(OWNER, "") != target.rows[0].owner:
        raise StateError(f"{target.what} has changed since it was read: look again with `tpuherd tpus`")


def require_unchanged(api: TpuApi, row: Tpu) -> Any | None:
    """Read a row again; its message, or `None` if it has gone.

    Raises:
        StateError: under its name there is another TPU now, or it has another owner.
    """
    message = api.get(GETTERS[row.kind], f"{COLLECTIONS[row.kind]}/{row.name}")
    if message is None:
        return None
    node = row.kind is Kind.NODE
    incarnation = str(message.id) if node else str(seconds(message.create_time))
    labels = dict(message.labels) if node else labels_of(message)
    if incarnation != row.incarnation or labels.get(OWNER, "") != row.owner:
        raise StateError(f"{row.place} has changed since it was read: look again with `tpuherd tpus`")
    return message


def _delete(api: TpuApi, target: Target, message: Any | None, note: Note) -> Kind | None:
    """Ask for the deletion; what was deleted, or `None` if there was nothing left."""
    if message is None and target.kind is Kind.QUEUED_RESOURCE:
        return _delete_nodes(api, target, note)
    if message is None:
        return None
    if _state(message, target.kind) != "DELETING":
        note(f"deleting {target.what}")
        _call(api, target.kind, target.name)
    return target.kind


def _delete_nodes(api: TpuApi, target: Target, note: Note) -> Kind | None:
    """The queued resource has gone and left its nodes behind."""
    for row in (row for row in target.rows if row.kind is Kind.NODE):
        note(f"deleting node {row.place}")
        _call(api, Kind.NODE, row.name)
    return Kind.NODE


def _call(api: TpuApi, kind: Kind, name: str) -> None:
    """Delete one thing; what has gone already is deleted."""
    from google.api_core.exceptions import NotFound

    method, more = ("delete_node", {}) if kind is Kind.NODE else ("delete_queued_resource", {"force": True})
    with suppress(NotFound):
        api.change(method, name=f"{api.parent}/{COLLECTIONS[kind]}/{name}", **more)


def _wait_until_gone(api: TpuApi, target: Target, kind: Kind, timeout_s: float, note: Note) -> None:
    names = [target.name] if kind is target.kind else [row.name for row in target.rows]
    for name in names:
        wait_for(
            lambda name=name: api.get(GETTERS[kind], f"{COLLECTIONS[kind]}/{name}") is None or None,  # type: ignore[misc]
            what=f"the deletion of {kind.value} {name}@{target.zone}",
            timeout_s=timeout_s,
            note=note,
        )


def _state(message: Any, kind: Kind) -> str:
    return str(message.state.name if kind is Kind.NODE else message.state.state.name)
