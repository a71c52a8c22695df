"""Stopping and starting nodes; the API can do it for single-host nodes that are not spot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.cloud.client import TpuApi
from tpuherd.errors import ProvisionError, StateError
from tpuherd.fleet.deleting import require_unchanged
from tpuherd.fleet.tpu import Kind, Tpu
from tpuherd.fleet.waiting import wait_for

if TYPE_CHECKING:
    from tpuherd.fleet.waiting import Note
    from tpuherd.model.cloud import Cloud

DONE = {"stop_node": "STOPPED", "start_node": "READY"}
"""Method of the API to the state that it leads to."""
ON_THE_WAY = {"stop_node": ("STOPPING",), "start_node": ("STARTING",)}


def require_possible(tpu: Tpu, method: str) -> None:
    """Refuse what the API refuses, before it is asked.

    Args:
        tpu: the node.
        method: `stop_node` or `start_node`.

    Raises:
        StateError: why, and what to do instead.
    """
    verb = method.removesuffix("_node")
    if tpu.kind is not Kind.NODE:
        raise StateError(f"{tpu.place} is a queued resource without nodes: there is nothing to {verb}")
    if tpu.workers > 1:
        raise StateError(
            f"{tpu.place} has {tpu.workers} workers, and only single-host TPUs can {verb}: "
            "delete it, or keep it running"
        )
    if tpu.tier in {"spot", "preemptible"}:
        raise StateError(
            f"{tpu.place} is {tpu.tier}: the API never starts one again. Delete it with "
            "`tpuherd tpus.delete`, or make it anew with `tpuherd tpus.reapply`"
        )
    if tpu.state not in _possible_states(method):
        raise StateError(f"{tpu.place} is {tpu.state}: it cannot {verb} now")


def switch(cloud: Cloud, tpu: Tpu, method: str, *, timeout_s: float, note: Note) -> None:
    """Stop or start a node and wait until it is so; one that is so already stays.

    Raises:
        StateError: another TPU has taken its place.
        ProvisionError: the API refused, it went away, or it took too long.
    """
    api = TpuApi(cloud, tpu.zone)
    node = require_unchanged(api, tpu)
    if node is None:
        raise ProvisionError(f"{tpu.place} has gone")
    if node.state.name not in (DONE[method], *ON_THE_WAY[method]):
        note(f"{method.replace('_', ' ')} {tpu.place}")
        api.change(method, name=f"{api.parent}/nodes/{tpu.name}")
    wait_for(
        lambda: _reached(api, tpu, DONE[method]),
        what=f"{tpu.place} to be {DONE[method]}",
        timeout_s=timeout_s,
        note=note,
    )
    note(f"{tpu.place} is {DONE[method]}")


def _reached(api: TpuApi, tpu: Tpu, state: str) -> bool | None:
    node = api.get("get_node", f"nodes/{tpu.name}")
    if node is None:
        raise ProvisionError(f"{tpu.place} went away while it was waited for")
    return True if node.state.name == state else None


def _possible_states(method: str) -> tuple[str, ...]:
    before = "READY" if method == "stop_node" else "STOPPED"
    return (before, DONE[method], *ON_THE_WAY[method])
