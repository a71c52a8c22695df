"""TPUs of jobs of this store, and a remake that was killed."""

from __future__ import annotations

import signal
import subprocess
import time

import pytest
from clouded import ZONE, clouded, eventually

from tpuherd.store.records import JobRecord, JobState
from tpuherd.store.store import Store

from .fleet_home import FleetHome

pytestmark = pytest.mark.slow


def add_job(fleet, job_id, state):
    """A job in ada's store."""
    record = JobRecord(
        id=job_id,
        name=job_id,
        owner="ada",
        file="job.yaml",
        base_directory="/",
        text="",
        overrides=[],
        digest="",
        directory=str(fleet.folder),
        keep=False,
        state=state,
        wanted="run",
        attempt=1,
        created_at=time.time(),
        ended_at=None,
        exit_code=None,
        message="",
    )
    store = Store(f"sqlite:///{fleet.home / 'tpuherd.sqlite'}")
    store.jobs.add(record)
    store.engine.dispose()


def test_a_tpu_of_a_live_job_is_not_free_and_stays(fleet):
    add_job(fleet, "train-0001", JobState.LIVE)
    add_job(fleet, "train-0002", JobState.SUCCEEDED)
    fleet.make("busy", owner="ada", **{"tpuherd-job": "train-0001"})
    fleet.make("kept", owner="ada", **{"tpuherd-job": "train-0002"})
    rows = fleet.rows("--job", "train")
    assert {name: (row["job_state"], row["free"]) for name, row in rows.items()} == {
        "busy": ("live", False),
        "kept": ("succeeded", True),
    }
    assert "train-0001 live" in fleet.ok("tpus", "busy")
    fleet.ends_with(14, "tpus.find", "busy", "--free")
    for command in ("tpus.delete", "tpus.reapply", "tpus.stop", "tpus.simulate-maintenance"):
        assert "tpuherd cancel train-0001" in fleet.ends_with(10, command, "busy", "--yes").stderr
    assert fleet.states()["busy"] == "READY"
    fleet.ok("tpus.delete", "kept", "--yes")


def test_reapply_that_was_killed_goes_on(tmp_path):
    with clouded(tmp_path, workers="none", delete_s=3.0) as cloud:
        fleet = FleetHome(tmp_path, cloud)
        fleet.ok("tpus.create", "v5e-1", "--zone", ZONE, "--name", "torn")
        number = fleet.incarnation("torn")
        words = fleet.argv("tpus.reapply", "torn", "--yes")
        with subprocess.Popen(
            words, env=fleet.environment(), cwd=tmp_path, stderr=subprocess.DEVNULL
        ) as first:
            eventually(lambda: fleet.states().get("torn") != "READY", 60)
            first.send_signal(signal.SIGKILL)
        assert list(fleet.home.glob("fleet/*/torn@*.json"))
        fleet.ok("tpus.reapply", "torn", "--yes")
        assert fleet.states()["torn"] == "READY"
        assert fleet.incarnation("torn") != number
        assert not list(fleet.home.glob("fleet/*/*.json"))
