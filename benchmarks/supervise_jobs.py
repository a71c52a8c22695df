"""Many jobs that wait for capacity on an emulated cloud, for `supervise.py`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Self

from tpuherd.cloud.client import TpuApi, hang_up
from tpuherd_emulator import lifecycle
from tpuherd_emulator.joining import to_cloud
from tpuherd_emulator.options import EmulatorOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tpuherd.store.records import JobRecord

JOB = """
cloud: emulator
tpu:
  accelerator: v5litepod-8
  zone: us-west4-a
  allocation_mode: queued-resources
  wait_for_capacity: true
  provision_timeout_s: 1000000
command:
  cmd: "true"
"""
USER = "benchmark"
"""Of the emulated cloud: it stays when the last job has left it."""


class Jobs:
    """A home with a store and an emulated cloud without capacity."""

    def __init__(self, home: Path, zones: Sequence[str]) -> None:
        os.environ["TPUHERD_HOME"] = str(home)
        self._home = home
        self._zones = zones
        self._cloud = home / "emulator"
        self._records: list[JobRecord] = []

    def __enter__(self) -> Self:
        info = lifecycle.up(self._cloud, EmulatorOptions(workers="none", queue_s=0.02))
        lifecycle.attach(self._cloud, USER)
        self._apis = [TpuApi(to_cloud(info), zone) for zone in self._zones]
        for zone in self._zones:
            words = [sys.executable, "-m", "tpuherd", "cloud.capacity", zone, "0"]
            subprocess.run(words, check=True, stdout=sys.stderr)
        return self

    def __exit__(self, *_: object) -> None:
        hang_up()
        lifecycle.down(self._cloud)

    def add(self, count: int) -> None:
        """As `tpuherd create` does, in one process, and without starting anything."""
        from tpuherd.config.load import load_text
        from tpuherd.engine.creating import find_or_create
        from tpuherd.hooks import GlobalHooks
        from tpuherd.manager import make_plugin_manager
        from tpuherd.store.store import open_store

        self._store = open_store()
        sections = GlobalHooks(make_plugin_manager()).config_sections()
        for number in range(count):
            overrides = [f"tpu.zone={self._zones[number % len(self._zones)]}", f"job.name=job-{number:04}"]
            loaded = load_text(JOB, self._home / "job.yaml", sections, overrides)
            self._records.append(find_or_create(self._store, loaded, overrides, keep=False))
        self._store.leases.give_back_all()

    def until_all_wait(self, timeout_s: float) -> float:
        """Seconds until the cloud shows a queued resource for each."""
        return _until(lambda: len(self._waiting()) >= len(self._records), timeout_s, pause_s=1.0)

    def cancel(self, number: int) -> tuple[float, float]:
        """Cancel a job through the store: seconds until its deletion is asked for, until it has ended."""
        record = self._records[number]
        api = self._apis[number % len(self._zones)]
        name = next(name for name in self._waiting() if record.id in name)
        began = time.monotonic()
        self._store.jobs.want(record.id, "cancel")
        _until(lambda: _leaves(api, name), 60.0)
        asked_s = time.monotonic() - began
        _until(lambda: self._store.jobs.get(record.id).state.ended, 60.0)
        return asked_s, time.monotonic() - began

    def _waiting(self) -> list[str]:
        found = [item for api in self._apis for item in api.listed("list_queued_resources").items]
        return [str(item.name).rpartition("/")[2] for item in found]


def _leaves(api: TpuApi, name: str) -> bool:
    found = api.get("get_queued_resource", f"queuedResources/{name}")
    return found is None or found.state.state.name == "DELETING"


def _until(condition: Callable[[], bool], timeout_s: float, pause_s: float = 0.02) -> float:
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > timeout_s:
            raise TimeoutError(f"not within {timeout_s:.0f} s")
        time.sleep(pause_s)
    return time.monotonic() - began
