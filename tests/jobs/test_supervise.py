"""`tpuherd supervise`: one process drives all jobs that nobody drives."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import herd as whole
import pytest
from herd import Herd, output

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow(20)


def wait_for(condition: Callable[[], object]) -> bool:
    """Wait for long: other tests may keep the machine busy."""
    return whole.wait_for(condition, 150)


def orphan(herd: Herd, job: Path, until: str = "line 3") -> None:
    """Start a job, and kill its controller when it has said something."""
    controller = herd.start("run", job)
    herd.until_says(controller, until)
    controller.kill()
    controller.wait()


def holding(herd: Herd, mark: str) -> str:
    """A workload that says 20 lines before the file `go` is there, and 20 after it."""
    return (
        f"echo started >> {herd.shared}/ran-{mark}-$TPUHERD_WORKER\n"
        "for i in $(seq 20); do echo line $i; sleep 0.05; done\n"
        f"until test -e {herd.shared}/go; do sleep 0.1; done\n"
        "for i in $(seq 21 40); do echo line $i; done"
    )


def supervising(herd: Herd) -> subprocess.Popen[str]:
    process = herd.start("supervise")
    herd.until_says(process, "supervising")
    return process


def driven_by(herd: Herd, process: subprocess.Popen[str], job: str = "job") -> bool:
    return f":{process.pid}:" in herd.status(job)["driven_by"]


def ended(herd: Herd, *jobs: str, state: str = "succeeded") -> bool:
    return wait_for(lambda: {herd.status(job)["state"] for job in jobs} == {state})


def test_jobs_of_dead_controllers_go_on_also_when_supervisors_die(cloud: Herd) -> None:
    """No second slice, no second launch, no lost or repeated line, whoever is killed."""
    names = ("one", "two")
    for name in names:
        orphan(cloud, cloud.job(holding(cloud, name), name=name))
    first = supervising(cloud)
    assert wait_for(lambda: all(driven_by(cloud, first, name) for name in names))
    first.kill()
    first.wait()
    second = supervising(cloud)
    assert wait_for(lambda: all(driven_by(cloud, second, name) for name in names))
    second.send_signal(signal.SIGTERM)
    assert second.wait(30) == 0
    assert all(cloud.status(name)["driven_by"] == "" for name in names)
    assert all(cloud.status(name)["state"] == "live" for name in names)
    third = supervising(cloud)
    (cloud.shared / "go").touch()
    assert ended(cloud, *names)
    for name in names:
        assert cloud.log(0, job=name) == [f"line {number}" for number in range(1, 41)]
        assert (cloud.shared / f"ran-{name}-0").read_text() == "started\n"
    assert len(cloud.operations("create")) == len(names)
    assert "line 40" in next(cloud.home.glob("jobs/one-????/controller.log")).read_text()
    third.send_signal(signal.SIGINT)
    assert third.wait(30) == 0


def test_there_is_one_and_it_says_how_it_is(cloud: Herd) -> None:
    assert "no supervisor" in cloud.ends_with(10, "supervise", "--status").stderr
    first = supervising(cloud)
    second = cloud.ends_with(10, "supervise")
    assert f"process {first.pid}" in second.stderr
    found = json.loads(cloud.ok("supervise", "--status", "--json"))
    assert (found["pid"], found["driven"], found["on_demand"]) == (first.pid, 0, False)
    assert found["rss_mib"] > 1
    assert "api calls" in cloud.ok("supervise", "--status")
    first.kill()
    first.wait()
    third = supervising(cloud)
    cloud.ok("supervise", "--stop")
    assert third.wait(60) == 0
    assert "no supervisor" in cloud.ends_with(0, "supervise", "--stop").stderr


def test_jobs_that_are_not_meant_to_go_on_are_left_alone(cloud: Herd) -> None:
    stage = cloud.job(cloud.counting(), name="stage")
    cloud.ok("provision", "--job", stage)
    kept = cloud.job(name="kept")
    cloud.ok("run", kept, "--keep")
    orphan(cloud, cloud.job(holding(cloud, "orphan"), name="orphan"))
    cloud.ok("pause", "orphan")
    process = supervising(cloud)
    probe = cloud.job(cloud.counting(3), name="probe")
    orphan(cloud, probe, until="▸ provision")
    assert ended(cloud, "probe")
    assert [cloud.status(job)["state"] for job in ("stage", "kept", "orphan")] == [
        "live",
        "succeeded",
        "paused",
    ]
    assert not any(cloud.status(job)["driven_by"] for job in ("stage", "kept", "orphan"))
    assert "stage-" not in output(process)
    for job in ("stage", "kept", "orphan"):
        cloud.ok("release", "--job", job)


def test_wishes_are_heard_at_once(cloud: Herd) -> None:
    process = supervising(cloud)
    for name in ("cancelled", "paused"):
        orphan(cloud, cloud.job(cloud.counting(3000), name=name))
        assert wait_for(lambda name=name: driven_by(cloud, process, name))
    cloud.ok("cancel", "cancelled")
    assert cloud.status("cancelled")["state"] == "cancelled"
    cloud.ok("pause", "paused", "--release")
    assert (cloud.status("paused")["state"], cloud.status("paused")["attempt"]) == ("paused", 2)
    assert cloud.cloud()["nodes"] == []
    assert process.poll() is None


def test_wishes_are_heard_while_a_recovery_pauses_and_while_capacity_is_awaited(cloud: Herd) -> None:
    process = supervising(cloud)
    waits = {
        "backoff": {"first_s": 3000, "longest_s": 3000},
        "budgets": {"user-error": 5},
        "policy": "tiered",
    }
    failing = cloud.job("exit 7", name="failing", recovery=waits)
    queue = {"accelerator": "v5litepod-8", "zone": "us-west4-a", "allocation_mode": "queued-resources"}
    cloud.ok("cloud.capacity", "us-west4-a", "0")
    waiting = cloud.job(name="waiting", tpu=queue | {"wait_for_capacity": True})
    orphan(cloud, waiting, until="▸ provision")
    assert wait_for(lambda: driven_by(cloud, process, "waiting"))
    cloud.ok("cancel", "waiting")
    assert cloud.status("waiting")["state"] == "cancelled"
    cloud.ok("cloud.capacity", "us-west4-a", "none")
    controller = cloud.start("run", failing)
    assert wait_for(lambda: "going on in" in output(controller) or controller.poll() is not None), output(
        controller
    )
    controller.kill()
    controller.wait()
    assert wait_for(lambda: driven_by(cloud, process, "failing"))
    cloud.ok("cancel", "failing")
    assert cloud.status("failing")["state"] == "cancelled"
    assert process.poll() is None


def test_what_cannot_be_driven_is_set_aside_and_the_others_go_on(cloud: Herd) -> None:
    cloud.variables["MY_TOKEN"] = "t-1"
    orphan(cloud, cloud.job(holding(cloud, "secret"), name="secret", env={"X_TOKEN": {"env": "MY_TOKEN"}}))
    del cloud.variables["MY_TOKEN"]
    supervising(cloud)
    assert wait_for(lambda: "MY_TOKEN is not set" in cloud.status("secret")["attention"])
    orphan(cloud, cloud.job(cloud.counting(3), name="other"), until="▸ provision")
    assert ended(cloud, "other")
    cloud.ok("ack", "secret")
    assert (cloud.status("secret")["attention"], cloud.status("secret")["state"]) == ("", "live")
    cloud.variables["MY_TOKEN"] = "t-1"
    (cloud.shared / "go").touch()
    cloud.ok("resume", "secret")
    assert cloud.log(0, job="secret")[-1] == "line 40"
    assert cloud.status("secret")["attention"] == ""


def test_a_crash_of_a_plugin_ends_its_job_and_not_the_supervisor(herd: Herd) -> None:
    """The plugin raises what no plugin should; the supervisor has it loaded for all jobs."""
    herd.variables |= {
        "TPUHERD_PLUGINS": "raising",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    }
    herd.ok("cloud.up")
    process = supervising(herd)
    orphan(herd, herd.job(workload={"kind": "raising"}, name="broken"), until="▸ provision")
    assert ended(herd, "broken", state="failed")
    assert "a plugin of a test" in herd.status("broken")["message"]
    orphan(herd, herd.job(herd.counting(3), name="sound"), until="▸ provision")
    assert ended(herd, "sound")
    assert process.poll() is None
    assert herd.cloud()["nodes"] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_takes_the_unit(herd: Herd, tmp_path: Path) -> None:
    herd.variables |= {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_RUNTIME_DIR": str(tmp_path)}
    path = herd.ok("supervise", "--install").strip()
    assert path == str(tmp_path / "config/systemd/user/tpuherd-supervise.service")
    text = (tmp_path / path).read_text()
    assert text == herd.ok("supervise", "--unit")
    assert f'"TPUHERD_HOME={herd.home}"' in text
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", path],
        env=herd.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def drivers(herd: Herd, *jobs: str) -> set[str]:
    """The processes that drive jobs; whoever hands one over does so himself until it is taken."""
    named = [herd.status(job)["driven_by"] or "::" for job in jobs]
    return {name.split(":")[1] for name in named}


def test_jobs_in_the_background_share_a_supervisor_which_ends_when_it_is_idle(cloud: Herd) -> None:
    cloud.variables["TPUHERD_SUPERVISOR_IDLE_S"] = "4"
    for name in ("one", "two"):
        cloud.ok("create", cloud.job(holding(cloud, name), name=name))
    assert wait_for(lambda: cloud.run("supervise", "--status").returncode == 0)  # a job is driven before that
    status = json.loads(cloud.ok("supervise", "--status", "--json"))
    assert status["on_demand"]
    assert wait_for(lambda: drivers(cloud, "one", "two") == {str(status["pid"])})
    detached = cloud.start(
        "run", cloud.job(holding(cloud, "three"), name="three"), "--on-interrupt", "detach"
    )
    cloud.until_says(detached, "line 3")
    detached.send_signal(signal.SIGINT)
    assert detached.wait(60) == 12
    assert wait_for(lambda: f":{status['pid']}:" in cloud.status("three")["driven_by"])
    (cloud.shared / "go").touch()
    assert ended(cloud, "one", "two", "three")
    assert wait_for(lambda: cloud.run("supervise", "--status").returncode == 10)


def test_a_job_with_a_secret_of_its_own_shell_gets_a_process_of_its_own(cloud: Herd) -> None:
    process = supervising(cloud)
    cloud.variables["MY_TOKEN"] = "t-1"
    cloud.ok(
        "create", cloud.job(holding(cloud, "secret"), name="secret", env={"X_TOKEN": {"env": "MY_TOKEN"}})
    )
    assert wait_for((cloud.shared / "ran-secret-0").exists)
    assert not driven_by(cloud, process, "secret")
    assert cloud.status("secret")["attention"] == ""
    (cloud.shared / "go").touch()
    assert ended(cloud, "secret")


def test_rerun_takes_a_job_from_the_supervisor(cloud: Herd) -> None:
    process = supervising(cloud)
    orphan(cloud, cloud.job(holding(cloud, "job")))
    assert wait_for(lambda: driven_by(cloud, process))
    assert "│ again" in cloud.ok("rerun", "job", "--", "echo", "again")
    again = cloud.status()
    assert (again["state"], again["attempt"], again["holds"]) == ("succeeded", 2, "slices")
    assert len(cloud.operations("create")) == 1
    assert process.poll() is None
    cloud.ok("release", "--job", "job")
