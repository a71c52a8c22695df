"""`kill -9` of the controller: the next one goes on, and nothing happens twice."""

from __future__ import annotations

import random
import signal
import time
from typing import TYPE_CHECKING

import pytest
from herd import output, wait_for

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from herd import Herd

STAGES = ("provision", "prepare_env", "sync_code", "run_workload", "collect", "release")
WORKERS = range(4)
LINES = 30


def make_job(herd: Herd) -> Path:
    return herd.job(herd.counting(LINES), accelerator="v5litepod-16")


def crash(herd: Herd, job: Path, point: str) -> None:
    """Run the job until it kills itself at a point."""
    done = herd.run("run", job, crash=point)
    assert done.returncode == -signal.SIGKILL, f"{point} was not reached:\n{done.stdout}\n{done.stderr}"


def kill_after(controller: subprocess.Popen[str], text: str, delay_s: float) -> None:
    """Kill a controller some time after it said something; one that ends before stays as it is."""
    wait_for(lambda: text in output(controller) or controller.poll() is not None)
    time.sleep(delay_s)
    controller.kill()
    controller.wait()


def check_exactly_once(cloud: Herd) -> None:
    """One job, one node ever, one start per worker, every line once and in order, nothing left."""
    assert cloud.status()["state"] == "succeeded"
    assert [cloud.starts(worker) for worker in WORKERS] == [1] * len(WORKERS)
    lines = [f"line {number}" for number in range(1, LINES + 1)]
    assert [cloud.log(worker) for worker in WORKERS] == [lines] * len(WORKERS)
    assert len(cloud.operations("create")) == 1
    assert len(cloud.operations("delete")) == 1
    left = cloud.cloud()
    assert left["nodes"] == []
    assert left["users"] == ["cloud.up"]
    cloud.ok("cloud.down")
    cloud.nothing_left()


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_at_every_boundary_of_a_stage(cloud: Herd, stage: str) -> None:
    job = make_job(cloud)
    for point in (f"stage.started:{stage}", f"before:{stage}", f"after:{stage}", f"stage.ended:{stage}"):
        crash(cloud, job, point)
    cloud.ok("run", job)
    check_exactly_once(cloud)


@pytest.mark.slow
@pytest.mark.parametrize("point", ["workload.started:", "after:run_workload"])
def test_once_then_resumed(cloud: Herd, point: str) -> None:
    crash(cloud, make_job(cloud), point)
    cloud.ok("resume", "job")
    check_exactly_once(cloud)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_at_random_moments_in_the_middle_of_stages(cloud: Herd, seed: int) -> None:
    job, moment = make_job(cloud), random.Random(seed)
    for stage in sorted(moment.sample(STAGES, 3), key=STAGES.index):
        delay_s = moment.uniform(0, 0.4 if stage in {"provision", "run_workload"} else 0.02)
        kill_after(cloud.start("run", job), f"▸ {stage}", delay_s)
    if cloud.status()["state"] == "live":
        cloud.ok("run", job)
    check_exactly_once(cloud)


@pytest.mark.slow
def test_while_the_cloud_is_started_for_the_job(herd: Herd) -> None:
    job = make_job(herd)
    for delay_s in (0.05, 0.3, 0.5):
        kill_after(herd.start("run", job), "· job", delay_s)
    for point in ("before:connect_cloud", "after:connect_cloud"):
        crash(herd, job, point)
    herd.ok("run", job)
    assert [herd.starts(worker) for worker in WORKERS] == [1] * len(WORKERS)
    assert not herd.cloud()["running"]
    herd.nothing_left()


@pytest.mark.slow
@pytest.mark.parametrize("point", ["before:leave_cloud", "after:leave_cloud", "job.ended:"])
def test_at_the_end_of_the_cloud(herd: Herd, point: str) -> None:
    job = make_job(herd)
    crash(herd, job, point)
    assert "succeeded" in herd.ok("resume", "job", "--json")
    assert [herd.starts(worker) for worker in WORKERS] == [1] * len(WORKERS)
    assert not herd.cloud()["running"]
    assert herd.status()["state"] == "succeeded"
    herd.nothing_left()


@pytest.mark.slow
@pytest.mark.parametrize("point", ["stage.failed:run_workload", "after:leave_cloud"])
def test_of_a_job_that_fails(cloud: Herd, point: str) -> None:
    job = cloud.job(f"echo started >> {cloud.shared}/ran-0; exit 3")
    crash(cloud, job, point)
    assert "exited with 3" in cloud.ends_with(8, "run", job).stderr
    assert cloud.starts(0) == 1
    assert len(cloud.operations("create")) == 1
    assert cloud.cloud()["nodes"] == []
    assert cloud.status()["state"] == "failed"


@pytest.mark.slow
@pytest.mark.parametrize("point", ["after:leave_cloud"])
def test_of_a_job_that_was_not_provisioned_in_time(herd: Herd, point: str) -> None:
    herd.ok("cloud.up", "--create-s", 60)
    job = herd.job(tpu={"accelerator": "v5litepod-8", "zone": "us-west4-a", "provision_timeout_s": 5})
    crash(herd, job, point)
    herd.ends_with(5, "run", job)
    assert herd.cloud()["nodes"] == []
    assert len(herd.operations("create")) == 1


@pytest.mark.slow
@pytest.mark.parametrize("point", ["before:release", "after:leave_cloud", "job.ended:"])
def test_of_a_job_that_is_cancelled(cloud: Herd, point: str) -> None:
    controller = cloud.start("run", cloud.job(cloud.counting(600)), crash=point)
    cloud.until_says(controller, "line 3")
    cloud.run("cancel", "job")
    assert controller.wait(90) == -signal.SIGKILL
    cloud.ok("cancel", "job")
    assert (cloud.status()["state"], cloud.status()["exit_code"]) == ("cancelled", 130)
    assert cloud.cloud()["nodes"] == []
    cloud.ok("cloud.down")
    cloud.nothing_left()


@pytest.mark.slow
def test_of_a_release(cloud: Herd) -> None:
    job = cloud.job(cloud.counting(3))
    cloud.ok("run-workload", "--job", job)
    for point in ("before:release", "after:release", "after:leave_cloud"):
        assert cloud.run("release", "--job", job, crash=point).returncode == -signal.SIGKILL
    assert "being given back" in cloud.ends_with(10, "run-workload", "--job", job).stderr
    cloud.ok("release", "--job", job)
    assert cloud.status()["state"] == "succeeded"
    assert cloud.cloud()["nodes"] == []


def test_resuming_a_job_that_has_ended_touches_nothing(herd: Herd) -> None:
    herd.ends_with(8, "run", herd.job("exit 3"))
    before = herd.status()
    assert "exited with 3" in herd.ends_with(8, "resume", "job").stderr
    assert herd.status() == before


@pytest.mark.slow
def test_on_workers_that_lost_their_disks_meanwhile_nothing_is_started_twice(cloud: Herd) -> None:
    """The next controller finds the slice as it was, and nothing of the work on it."""
    cmd = f"echo $TPUHERD_ATTEMPT >> {cloud.shared}/ran; [ $TPUHERD_ATTEMPT = 2 ] || sleep 600"
    controller = cloud.start("run", cloud.job(cmd))
    wait_for(lambda: (cloud.shared / "ran").exists() and "the workload runs" in output(controller))
    controller.kill()
    controller.wait()
    cloud.ok("cloud.fault", "reimaging", "--delay-s", "0")
    wait_for(lambda: [node["state"] for node in cloud.cloud()["nodes"]] == ["READY"])
    cloud.ok("resume", "job")
    assert (cloud.shared / "ran").read_text().split() == ["1", "2"]
