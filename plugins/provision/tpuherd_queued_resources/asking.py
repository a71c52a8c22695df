"""From a job file to the API's message that asks for a queued resource."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tpuherd.cloud.asking import node_message
from tpuherd.config.moments import duration_s, is_duration, moment

if TYPE_CHECKING:
    from tpuherd import Job
    from tpuherd.cloud.target import Target
    from tpuherd.config.tpu import TpuSection


def queued_message(job: Job, target: Target, parent: str) -> dict[str, Any]:
    """The `QueuedResource` for a target.

    Args:
        job: whose job file says the rest.
        target: what, where and under which name.
        parent: `projects/P/locations/Z`.
    """
    tpu = job.spec.tpu
    spec = {"parent": parent, "node": _node(job, target)} | _ids(target)
    return {"tpu": {"node_spec": [spec]}} | _tier(tpu) | _policy(tpu) | _reservation(tpu, parent)


def _node(job: Job, target: Target) -> dict[str, Any]:
    """The node; here the queued resource says how it is paid for, and the node only what that cannot say."""
    node = node_message(job, target)
    reserved = node.pop("scheduling_config")["reserved"]
    return node | ({"scheduling_config": {"reserved": True}} if reserved else {})


def _ids(target: Target) -> dict[str, Any]:
    if target.slices == 1:
        return {"node_id": target.name}
    return {"multislice_params": {"node_count": target.slices, "node_id_prefix": target.name}}


def _tier(tpu: TpuSection) -> dict[str, Any]:
    """A queued resource knows no preemptible tier; reserved capacity is guaranteed."""
    if tpu.pricing != "ondemand":
        return {"spot": {}}
    return {"guaranteed": {}} if tpu.reserved or tpu.reservation else {}


def _policy(tpu: TpuSection) -> dict[str, Any]:
    """When the request lapses; a duration counts from now, on the API's own clock."""
    if tpu.valid_until is None:
        return {}
    if is_duration(tpu.valid_until):
        return {"queueing_policy": {"valid_until_duration": timedelta(seconds=duration_s(tpu.valid_until))}}
    return {"queueing_policy": {"valid_until_time": moment(tpu.valid_until)}}


def _reservation(tpu: TpuSection, parent: str) -> dict[str, Any]:
    if tpu.reservation is None:
        return {}
    whole = tpu.reservation if "/" in tpu.reservation else f"{parent}/reservations/{tpu.reservation}"
    return {"reservation_name": whole}
