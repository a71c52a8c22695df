"""Jobs on an emulated cloud of the test's own: Google's client, real workers, no mocks."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tpuherd.cloud.client import TpuApi, hang_up
from tpuherd.manager import make_plugin_manager
from tpuherd.model.outcome import Environment, SyncedCode
from tpuherd.testing import JobFactory
from tpuherd_emulator import lifecycle
from tpuherd_emulator.joining import to_cloud
from tpuherd_emulator.options import EmulatorOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tpuherd.model.allocation import Worker
    from tpuherd.model.job import Job

ZONE = "us-west4-a"
FAST = {"create_s": 0.0, "delete_s": 0.0, "queue_s": 0.02}
HOST = Environment(kind="host", key="host")
NO_CODE = SyncedCode(kind="none", snapshot="", directory="")


class Clouded:
    """An emulated cloud, and jobs for it."""

    def __init__(self, folder: Path, **options: object) -> None:
        self.folder = folder
        self.directory = folder / "cloud"
        self.info = lifecycle.up(self.directory, EmulatorOptions(**{**FAST, **options}))
        self.factory = JobFactory(make_plugin_manager(), folder)
        self.jobs: list[Job] = []

    @property
    def api(self) -> TpuApi:
        """Somebody else who uses the same project."""
        return TpuApi(to_cloud(self.info), ZONE)

    def job(self, document="", *, job_id="job-0001", attempt=1, tpu=None, **sections) -> Job:
        """Make a job for this cloud; `tpu` has keys that differ from one worker in the test's zone.

        A key with `None` is left out: `zone` beside `zones` would be refused.
        """
        usual = {"accelerator": "v5litepod-8", "zone": ZONE, "connect_timeout_s": 30}
        asked = {key: value for key, value in (usual | (tpu or {})).items() if value is not None}
        whole = {"tpu": asked, "command": {"cmd": "true"}, **sections, **(document or {})}
        made = self.factory(whole, attempt=attempt)
        made = replace(made, id=job_id, directory=self.folder / "jobs" / job_id, cloud=to_cloud(self.info))
        self.jobs.append(made)
        return made

    def node(self, name):
        """The API's node, or `None`."""
        return self.api.get("get_node", f"nodes/{name}")

    def nodes(self) -> set[str]:
        """Names of all nodes that there are."""
        return {node.name for node in lifecycle.status(self.directory).nodes}

    def home(self, worker: Worker) -> Path:
        """A worker's home folder, as this machine sees it."""
        (found,) = self.directory.glob(f"workers/*{worker.node_id}-w{worker.slice_worker}/home")
        return found

    def close(self) -> None:
        for job in self.jobs:
            job.session.close()
        hang_up()
        lifecycle.down(self.directory)


@contextmanager
def clouded(folder: Path, **options: object) -> Iterator[Clouded]:
    """A cloud that is stopped with everything on it at the end, also after a failure."""
    made = Clouded(folder, **options)
    try:
        yield made
    finally:
        made.close()


def kill_daemon(cloud: Clouded) -> None:
    """The API goes down; workers stay."""
    os.kill(cloud.info.pid, signal.SIGKILL)
    eventually(lambda: not lifecycle.status(cloud.directory).running)


def eventually(condition, timeout_s=60.0):
    """Wait until something is true, and return it."""
    deadline = time.monotonic() + timeout_s
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return found


@pytest.fixture(scope="module")
def cloud(tmp_path_factory):
    """One emulated cloud per module."""
    with clouded(tmp_path_factory.mktemp("cloud")) as made:
        yield made


@pytest.fixture(scope="module")
def held(cloud):
    """Slices that the jobs of a module share."""
    import tpuherd_tpu_vm

    job = cloud.job(tpu={"accelerator": "v5litepod-16"}, job_id="shared-0001")
    return tpuherd_tpu_vm.provision(job, job.attempt)
