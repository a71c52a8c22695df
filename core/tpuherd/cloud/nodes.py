"""Nodes of the TPU API: from a job file to a request, and from the API's answer to a slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.cloud.labels import ownership
from tpuherd.errors import ConfigError
from tpuherd.model.allocation import Slice, Worker

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tpuherd.model.job import Job

GONE = ("PREEMPTED", "TERMINATED", "STOPPED", "STOPPING", "DELETING", "HIDING", "HIDDEN")
"""States of a node that will not become ready by itself."""


def node_name(job: Job) -> str:
    """The id of the job's node; attempts that replace slices get names of their own."""
    name = job.spec.tpu.name_for(job.owner, job.id)
    return name if job.attempt.number == 1 else f"{name}-{job.attempt.number}"


def zone_of(job: Job) -> str:
    """The zone of this attempt."""
    return job.attempt.zone or job.spec.tpu.zone


def node_request(job: Job) -> dict[str, Any]:
    """The `Node` message that asks for a slice as the job file describes it."""
    tpu = job.spec.tpu
    return {
        "accelerator_type": tpu.shape.name,
        "runtime_version": tpu.runtime_version,
        "network_config": _network(tpu),
        "scheduling_config": {"spot": tpu.pricing == "spot", "preemptible": tpu.pricing == "preemptible"},
        "labels": {**tpu.labels, **ownership(job)},
        "metadata": _metadata(job),
        "tags": list(tpu.tags),
        **({"service_account": {"email": tpu.service_account}} if tpu.service_account else {}),
    }


def _network(tpu: Any) -> dict[str, Any]:
    given = {"network": tpu.network, "subnetwork": tpu.subnetwork}
    return {"enable_external_ips": tpu.external_ips} | {key: value for key, value in given.items() if value}


def _metadata(job: Job) -> dict[str, str]:
    tpu = job.spec.tpu
    found = {"ssh-keys": f"{job.cloud.ssh.user}:{job.cloud.ssh.public_key}", **tpu.metadata}
    if tpu.startup_script:
        found["startup-script"] = _script(job.base_directory / tpu.startup_script.expanduser())
    return found


def _script(path: Path) -> str:
    try:
        return str(path.read_text())
    except OSError as error:
        raise ConfigError(f"tpu.startup_script: cannot read {path}: {error.strerror}") from error


def to_slice(node: Any, *, slice_index: int, first_worker: int) -> Slice:
    """A slice from the API's `Node`; `networkEndpoints` is in the order of the workers.

    Args:
        node: a `google.cloud.tpu_v2.Node` whose endpoints are known.
        slice_index: its number in the allocation.
        first_worker: index in the allocation of its worker 0.
    """
    _, _, _, zone, _, node_id = node.name.split("/")
    workers = tuple(
        Worker(
            index=first_worker + number,
            slice_index=slice_index,
            slice_worker=number,
            node_id=node_id,
            internal_address=endpoint.ip_address,
            ssh_address=endpoint.access_config.external_ip or endpoint.ip_address,
        )
        for number, endpoint in enumerate(node.network_endpoints)
    )
    return Slice(
        node_id=node_id,
        zone=zone,
        accelerator=node.accelerator_type,
        incarnation=str(node.id),
        workers=workers,
    )


def to_slices(nodes: Sequence[Any]) -> tuple[Slice, ...]:
    """Slices from nodes, in this order, with workers numbered through."""
    slices: list[Slice] = []
    for index, node in enumerate(nodes):
        slices.append(
            to_slice(node, slice_index=index, first_worker=sum(len(piece.workers) for piece in slices))
        )
    return tuple(slices)
