"""TPUs that exist already, in an emulated cloud, and jobs of a store that use them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import yaml
from clouded import ZONE, Clouded, eventually

import tpuherd_inventory
from tpuherd.cloud.client import TpuApi
from tpuherd.store.records import JobRecord, JobState
from tpuherd_emulator.joining import to_cloud

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job
    from tpuherd.store.store import Store

RUNTIMES = {"v5litepod": "v2-alpha-tpuv5-lite", "v4": "tpu-ubuntu2204-base", "v6e": "v2-alpha-tpuv6e"}


class Machines:
    """What a team has."""

    def __init__(self, cloud: Clouded, store: Store) -> None:
        self.cloud = cloud
        self.store = store
        self.made: list[tuple[str, str]] = []

    def api(self, zone: str) -> TpuApi:
        return TpuApi(to_cloud(self.cloud.info), zone)

    def node(self, name: str, zone: str = ZONE) -> Any:
        return self.api(zone).get("get_node", f"nodes/{name}")

    def make(self, name: str, accelerator: str = "v5litepod-8", zone: str = ZONE, **more: Any) -> Any:
        """Somebody makes a TPU by other means, and it becomes ready."""
        api = self.api(zone)
        runtime = RUNTIMES[accelerator.partition("-")[0]]
        node = {"accelerator_type": accelerator, "runtime_version": runtime, **more}
        api.change("create_node", parent=api.parent, node_id=name, node=node)
        self.made.append((name, zone))
        return eventually(lambda: self._ready(name, zone), 60)

    def _ready(self, name: str, zone: str) -> Any:
        node = self.node(name, zone)
        return node if node.state.name == "READY" else None

    def file(self, *nodes: Any, name: str = "hosts.yaml", **changes: Any) -> Path:
        """A hosts file with these nodes."""
        content = {"slices": [_entry(node) | changes for node in nodes]}
        path = self.cloud.folder / name
        path.write_text(yaml.safe_dump(content))
        return path

    def job(self, job_id: str, inventory: Any, *, owner: str = "tester", **tpu: Any) -> Job:
        """A live job of the store; the owner only matters to the store."""
        asked = {"allocation_mode": "inventory", "connect_timeout_s": 20, **tpu}
        made = self.cloud.job(job_id=job_id, tpu=asked, inventory=inventory)
        self.store.jobs.add(record(job_id, owner))
        return made

    def provision(self, job: Job) -> Allocation:
        held = tpuherd_inventory.provision(job, job.attempt)
        assert held is not None
        return held

    def close(self) -> None:
        for job in self.cloud.jobs:
            job.session.close()
        for name, zone in self.made:
            api = self.api(zone)
            if self.node(name, zone) is not None:
                api.change("delete_node", name=f"{api.parent}/nodes/{name}")
            eventually(lambda: self.node(name, zone) is None)  # noqa: B023 - asked at once


def _entry(node: Any) -> dict[str, Any]:
    workers = [
        {"address": e.ip_address, "ssh": e.access_config.external_ip or e.ip_address}
        for e in node.network_endpoints
    ]
    parts = node.name.split("/")
    return {"name": parts[5], "zone": parts[3], "accelerator": node.accelerator_type, "workers": workers}


def record(job_id: str, owner: str = "tester") -> JobRecord:
    return JobRecord(
        id=job_id,
        name=job_id[:-5],
        owner=owner,
        file="/jobs/job.yaml",
        base_directory="/jobs",
        text="tpu: {}",
        overrides=[],
        digest="0" * 64,
        directory=f"/state/{job_id}",
        keep=False,
        state=JobState.LIVE,
        wanted="run",
        attempt=1,
        created_at=time.time(),
        ended_at=None,
        exit_code=None,
        message="",
    )
