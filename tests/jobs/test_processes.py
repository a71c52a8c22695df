"""What runs on the workers of a job, who holds their devices, and ending it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest
from herd import _with_environment, output, wait_for

from tpuherd.reach.devices import by_device

if TYPE_CHECKING:
    import subprocess

    from herd import Herd

pytestmark = pytest.mark.slow(15)


@pytest.fixture
def running(cloud: Herd) -> subprocess.Popen[str]:
    """A job whose workload runs on four workers."""
    path = cloud.job("echo on; sleep 631; true", accelerator="v5litepod-16")
    controller = cloud.start("run", path, "--keep")
    assert wait_for(lambda: output(controller).count("│ on") == 4, 60)
    return controller


def rows(herd: Herd, *words: object) -> list[dict[str, Any]]:
    return json.loads(herd.ok("ps", "job", "--json", *words))


def test_looking_and_ending(cloud: Herd, running: subprocess.Popen[str]) -> None:
    sleeping = [row for row in rows(cloud) if row["command"] == "sleep 631"]
    assert [row["worker"] for row in sleeping] == [0, 1, 2, 3]
    assert {row["attempt"] for row in sleeping} == {f"{cloud.status()['job']}.1"}
    assert all(row["memory_bytes"] > 0 and row["started_at"] > 1e9 for row in sleeping)
    assert {row["worker"] for row in rows(cloud, "--workers", "2")} == {2}
    assert "sleep 631" in cloud.ok("ps", "job")

    by_hand = cloud.start("exec", "job", "--workers", "1", "--", "sleep", "632")
    assert wait_for(lambda: [row for row in rows(cloud) if row["command"] == "sleep 632"], 30)
    (found,) = [row for row in rows(cloud) if row["command"] == "sleep 632"]
    assert (found["worker"], found["attempt"]) == (1, None)
    assert "by hand" in cloud.ok("ps", "job")
    assert "name it" in cloud.ends_with(3, "kill", "job", "--pid", found["pid"]).stderr
    wrong = cloud.ends_with(9, "kill", "job", "--pid", found["pid"], "--workers", "0")
    assert "no process" in wrong.stderr
    cloud.ok("kill", "job", "--pid", found["pid"], "--workers", "1")
    assert by_hand.wait(90) != 0

    done = cloud.ends_with(0, "kill", "job", "--json")
    assert [row["state"] for row in json.loads(done.stdout)] == ["stopped"] * 4
    assert "4 of 4 workers" in done.stderr
    assert rows(cloud) == []
    assert running.wait(60) == 8
    assert "the workload was stopped" in output(running)
    assert cloud.status()["holds"] == "slices"


def test_a_dead_worker_is_named_and_the_others_answer(cloud: Herd, running: subprocess.Popen[str]) -> None:
    """Its SSH server and everything else of it are gone."""
    home = next((cloud.home / "emulator").glob("workers/*-w2"))
    for pid, _ in _with_environment(str(home)):
        with contextlib.suppress(ProcessLookupError):  # it ended with one that was killed before
            os.kill(pid, signal.SIGKILL)
    done = cloud.ends_with(9, "ps", "job", "--json")
    assert {row["worker"] for row in json.loads(done.stdout)} == {0, 1, 3}
    assert "3 of 4 workers succeeded; w2" in done.stderr
    running.send_signal(signal.SIGTERM)
    running.wait(90)


def test_the_devices_of_workers_that_have_none(cloud: Herd) -> None:
    """An emulated worker has no device files; tests/agent has them."""
    cloud.ok("run", cloud.job(accelerator="v5litepod-16"), "--keep")
    assert json.loads(cloud.ok("devices", "job", "--json")) == []
    assert "device" in cloud.ok("devices", "job")


def test_one_row_for_each_device_and_holder() -> None:
    held = {"pid": 7, "attempt": "job.1", "command": "python", "devices": ["/dev/accel0"]}
    rows = by_device(3, {"devices": ["/dev/accel0", "/dev/accel1"], "holders": [held]})
    assert [(row["worker"], row["device"], row["pid"]) for row in rows] == [
        (3, "/dev/accel0", 7),
        (3, "/dev/accel1", None),
    ]


def test_a_job_that_holds_nothing(cloud: Herd) -> None:
    cloud.ok("run", cloud.job())
    for words in (("ps", "job"), ("kill", "job"), ("devices", "job"), ("put", "job", ".", "x/")):
        assert "holds no workers" in cloud.ends_with(10, *words).stderr
