"""Jobs and allocations as values: enough for hooks that only look at their arguments."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tpuherd.model.allocation import Allocation, Slice, Worker
from tpuherd.model.cloud import Cloud, SshAccess
from tpuherd.model.event import Event
from tpuherd.model.job import Attempt, Job

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pluggy import PluginManager

    from tpuherd.config.spec import JobSpec
    from tpuherd.engine.session import Session

DEFAULTS: dict[str, object] = {
    "cloud": "emulator",
    "tpu": {"accelerator": "v5litepod-16", "zone": "us-west4-a"},
}
"""Sections that a test need not write."""

JOB_ID = "test-0000"


class JobFactory:
    """Makes jobs from job files, without a store, a cloud or a worker."""

    def __init__(self, manager: PluginManager, folder: Path) -> None:
        """Keep the plugins, whose sections job files may have, and the folder of the job files."""
        self.events: list[Event] = []
        """What hooks published through `job.session`."""
        self._manager = manager
        self._folder = folder

    def __call__(self, document: str | Mapping[str, object] = "", *, attempt: int = 1) -> Job:
        """Make a job.

        Args:
            document: the job file as YAML text or as a mapping; without `cloud` and `tpu` it is for a
                v5litepod-16 (4 workers with 4 chips each) of the emulated cloud.
            attempt: the number of the attempt.

        Returns:
            The job. Its session has no workers that could be reached.

        Raises:
            ConfigError: the document is wrong, as it would be in a job file.
        """
        return Job(
            id=JOB_ID,
            owner="tester",
            spec=self.spec(document),
            directory=self._folder / "jobs" / JOB_ID,
            base_directory=self._folder,
            attempt=Attempt(number=attempt),
            cloud=_cloud(),
            session=self._session(attempt),
        )

    def spec(self, document: str | Mapping[str, object] = "") -> JobSpec:
        """Check a job file as `tpuherd run` does, the plugins that it names included.

        Args:
            document: as for a job.

        Raises:
            ConfigError: the document is wrong.
        """
        from tpuherd.config.load import load_text
        from tpuherd.hooks import GlobalHooks
        from tpuherd.providers import check_choices

        path = self._folder / "job.yaml"
        loaded = load_text(_whole(document), path, GlobalHooks(self._manager).config_sections())
        check_choices(self._manager, loaded.spec, str(path))
        return loaded.spec

    def allocation(self, job: Job) -> Allocation:
        """The slices that the job's file asks for, with all their workers; none of them can be reached."""
        tpu = job.spec.tpu
        return Allocation(
            slices=tuple(_slice(job, index, tpu.shape.workers) for index in range(tpu.slices)),
            project=job.cloud.project,
        )

    def _session(self, attempt: int) -> Session:
        from tpuherd.engine.session import Session
        from tpuherd.output.reporter import Reporter

        def publish(kind: str, text: str) -> None:
            self.events.append(Event(job_id=JOB_ID, attempt=attempt, kind=kind, text=text, at=time.time()))

        return Session(Reporter(), self._folder / "known_hosts", publish)


def _whole(document: str | Mapping[str, object]) -> str:
    import yaml

    given: Any = yaml.safe_load(document) if isinstance(document, str) else document
    return yaml.safe_dump(DEFAULTS | dict(given or {}))


def _cloud() -> Cloud:
    ssh = SshAccess(user="tester", private_key="", public_key="")
    return Cloud(name="emulator", project="test-project", ssh=ssh)


def _slice(job: Job, index: int, workers: int) -> Slice:
    node_id = f"{job.id}-{index}"
    tpu = job.spec.tpu
    return Slice(
        node_id=node_id,
        zone=tpu.zone,
        accelerator=tpu.accelerator,
        incarnation=f"{node_id}-first",
        workers=tuple(_worker(node_id, index, number, index * workers + number) for number in range(workers)),
    )


def _worker(node_id: str, slice_index: int, slice_worker: int, index: int) -> Worker:
    address = f"10.0.{slice_index}.{slice_worker + 2}"
    return Worker(
        index=index,
        slice_index=slice_index,
        slice_worker=slice_worker,
        node_id=node_id,
        internal_address=address,
        ssh_address=address,
    )
