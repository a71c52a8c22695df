"""From a job file to the API's messages that ask for slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.cloud.labels import ownership
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.cloud.target import Target
    from tpuherd.config.tpu import TpuSection
    from tpuherd.model.job import Job

DISK_MODES = {"read-write": "READ_WRITE", "read-only": "READ_ONLY"}
"""`tpu.data_disks.mode` to `AttachedDisk.DiskMode`."""


def node_message(job: Job, target: Target) -> dict[str, Any]:
    """The `Node` that asks for one slice as the job file describes it.

    Raises:
        ConfigError: a file that the job file names cannot be read.
    """
    tpu = job.spec.tpu
    return {
        "accelerator_type": target.accelerator,
        "runtime_version": tpu.runtime_version_for(target.accelerator),
        "network_config": _network(tpu),
        "scheduling_config": scheduling(tpu),
        "labels": {**tpu.labels, **ownership(job)},
        "metadata": _metadata(job),
        "tags": list(tpu.tags),
        "data_disks": [_disk(disk, job, target.zone) for disk in tpu.data_disks],
    } | _service_account(tpu)


def scheduling(tpu: TpuSection) -> dict[str, bool]:
    """The `SchedulingConfig` of a node."""
    return {
        "spot": tpu.pricing == "spot",
        "preemptible": tpu.pricing == "preemptible",
        "reserved": tpu.reserved or tpu.reservation is not None,
    }


def _network(tpu: TpuSection) -> dict[str, Any]:
    given = {"network": tpu.network, "subnetwork": tpu.subnetwork}
    return {"enable_external_ips": tpu.external_ips} | {key: value for key, value in given.items() if value}


def _service_account(tpu: TpuSection) -> dict[str, Any]:
    given = {"email": tpu.service_account, "scope": list(tpu.scopes)}
    found = {key: value for key, value in given.items() if value}
    return {"service_account": found} if found else {}


def _disk(disk: Any, job: Job, zone: str) -> dict[str, Any]:
    """An `AttachedDisk`; a name alone is a disk of the project in the zone of the slice."""
    full = (
        disk.source
        if "/" in disk.source
        else f"projects/{job.cloud.project}/zones/{zone}/disks/{disk.source}"
    )
    return {"source_disk": full, "mode": DISK_MODES[disk.mode]}


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
