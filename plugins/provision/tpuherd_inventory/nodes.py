"""Machines of the TPU API: nodes that somebody has made, which are neither created nor deleted here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.nodes import to_slice
from tpuherd.fleet.knowledge import know
from tpuherd.fleet.messages import node_row
from tpuherd.store.aliases import MachineName
from tpuherd_inventory.machine import Endpoint, Machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.fleet.knowledge import Knowledge
    from tpuherd.model.cloud import Cloud
    from tpuherd.store.store import Store

SSH_KEYS = "ssh-keys"
"""The metadata item with `USER:KEY` lines, as gcloud writes it."""


def named(cloud: Cloud, store: Store, known_as: MachineName, zones: Sequence[str]) -> list[Machine]:
    """The nodes of one name: in its zone or, if that is not said, in these zones."""
    wanted = [known_as.zone] if known_as.zone else zones
    found = [TpuApi(cloud, zone).get("get_node", f"nodes/{known_as.name}") for zone in wanted]
    return _machines(store, [node for node in found if node is not None])


def all_in(cloud: Cloud, store: Store, zones: Sequence[str]) -> list[Machine]:
    """All nodes of these zones, in this order; one listing for each zone."""
    return _machines(
        store, [node for zone in zones for node in TpuApi(cloud, zone).listed("list_nodes").items]
    )


def offer_key(cloud: Cloud, known_as: MachineName) -> bool:
    """Add our SSH key to the metadata of a node, next to those that are there; `False` if it is there.

    The node is read right before, because the update replaces all of its metadata.
    """
    api = TpuApi(cloud, known_as.zone)
    node = api.get("get_node", f"nodes/{known_as.name}")
    if node is None or _has_key(node, cloud.ssh.public_key):
        return False
    line = f"{cloud.ssh.user}:{cloud.ssh.public_key}"
    before = node.metadata.get(SSH_KEYS, "").rstrip("\n")
    metadata = {**node.metadata, SSH_KEYS: f"{before}\n{line}" if before else line}
    api.change(
        "update_node", node={"name": node.name, "metadata": metadata}, update_mask={"paths": ["metadata"]}
    )
    return True


def _has_key(node: Any, public_key: str) -> bool:
    return " ".join(public_key.split()[:2]) in node.metadata.get(SSH_KEYS, "")


def _machines(store: Store, nodes: Sequence[Any]) -> list[Machine]:
    rows = [node_row(node, {}) for node in nodes]
    known = replace(know(store, rows), claims={})  # claims are not looked at, they are taken
    return [_machine(node, known) for node in nodes]


def _machine(node: Any, known: Knowledge) -> Machine:
    piece = to_slice(node, slice_index=0, first_worker=0)
    return Machine(
        known_as=MachineName(name=piece.node_id, zone=piece.zone),
        zone=piece.zone,
        accelerator=piece.accelerator,
        incarnation=piece.incarnation,
        endpoints=tuple(Endpoint(internal=w.internal_address, ssh=w.ssh_address) for w in piece.workers),
        claims=(f"{piece.node_id}@{piece.zone}",),
        obstacle=_obstacle(node, known),
    )


def _obstacle(node: Any, known: Knowledge) -> str:
    row = node_row(node, {})
    if row.state != "READY":
        return f"it is {row.state} {row.health_text}".strip()
    if known.in_use(row):
        return f"it was made for job {row.job}, which may still use it"
    return ""
