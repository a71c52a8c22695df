"""What breaks under a running job: a keeper, a workload process, the whole emulated cloud."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from herd import output, wait_for

if TYPE_CHECKING:
    import subprocess

    from herd import Herd

pytestmark = pytest.mark.slow


def start(cloud: Herd) -> subprocess.Popen[str]:
    job = cloud.job(cloud.counting(1200), accelerator="v5litepod-16", recovery={"policy": "give_up"})
    controller = cloud.start("run", job)
    cloud.until_says(controller, "line 3")
    assert wait_for(lambda: all(cloud.starts(worker) for worker in range(4)))
    return controller


def on_worker(cloud: Herd, worker: int, word: str) -> list[int]:
    """Processes of the workload on one worker whose command line has a word."""
    found = []
    for pid, command in cloud.processes().items():
        try:
            variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"TPUHERD_WORKER={worker}".encode() in variables and word in command:
            found.append(pid)
    return found


def check_failed(cloud: Herd, controller: subprocess.Popen[str], worker: int, how: str) -> None:
    assert controller.wait(60) == 8, output(controller)
    said = output(controller)
    assert f"worker w{worker} failed first" in said
    assert how in said
    assert cloud.status()["exit_code"] == 8
    assert cloud.cloud()["nodes"] == []
    cloud.ok("cloud.down")
    cloud.nothing_left()


def test_a_killed_workload_process_fails_the_job(cloud: Herd) -> None:
    controller = start(cloud)
    for pid in on_worker(cloud, 2, "seq 1200"):
        os.kill(pid, signal.SIGKILL)
    check_failed(cloud, controller, 2, "signalled with 9")


def test_a_killed_keeper_fails_the_job(cloud: Herd) -> None:
    controller = start(cloud)
    (keeper,) = keepers(cloud, 1)
    os.kill(keeper, signal.SIGKILL)
    check_failed(cloud, controller, 1, "went away")


def keepers(cloud: Herd, worker: int) -> list[int]:
    """The agent's process on a worker: the parent of the workload's first."""
    pids = on_worker(cloud, worker, "seq 1200")
    parents = {int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) for pid in pids}
    return sorted(parents - set(pids))


def test_a_killed_cloud_fails_the_job_and_goes_away(cloud: Herd) -> None:
    controller = start(cloud)
    os.kill(cloud.cloud()["info"]["pid"], signal.SIGKILL)
    assert controller.wait(150) in {5, 8, 9}
    assert cloud.status()["state"] == "failed"
    assert "may still cost money" in cloud.status()["message"]
    cloud.ok("cloud.down")
    cloud.nothing_left()
    cloud.ok("release", "--job", "job")
