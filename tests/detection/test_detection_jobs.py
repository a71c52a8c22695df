"""What happens to jobs on the emulated cloud: noticed while they run, and given their class."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from herd import output, wait_for

if TYPE_CHECKING:
    import subprocess

    from herd import Herd

pytestmark = pytest.mark.slow

GIVE_UP = {"policy": "give_up"}
LONG_S = 600
ENDS_IN_S = 120
"""Much longer than anything here takes; much shorter than what would end the work by itself."""


def begin(cloud: Herd, cmd: str, accelerator: str = "v5litepod-16", **more: object) -> subprocess.Popen[str]:
    """A job whose workload has printed `ready` on all workers."""
    job = cloud.job(f"{cmd}\necho ready\nsleep {LONG_S}", accelerator=accelerator, recovery=GIVE_UP, **more)
    controller = cloud.start("run", job)
    workers = 4 if accelerator == "v5litepod-16" else 1
    assert wait_for(lambda: output(controller).count("ready") == workers, 90), output(controller)
    return controller


def node(cloud: Herd) -> str:
    (only,) = cloud.cloud()["nodes"]
    return str(only["name"]).rpartition("/")[2]


def diagnosis(cloud: Herd) -> str:
    """What the store says that the failure means."""
    texts = [event["text"] for event in cloud.status()["events"] if event["kind"] == "diagnosis"]
    assert len(texts) == 1, texts
    return str(texts[0])


def test_a_notice_ends_the_work_with_its_grace_on_all_workers_long_before_the_slice_goes(cloud: Herd) -> None:
    controller = begin(cloud, "trap 'echo saved; exit 0' TERM\nsleep 0.1", timeouts={"grace_s": 20})
    cloud.ok("cloud.preempt", node(cloud), "--notice-s", str(LONG_S))
    assert controller.wait(ENDS_IN_S) == 8, output(controller)
    found = diagnosis(cloud)
    assert found.startswith("preempted: "), found
    assert "[metadata-preempted]" in found
    assert all("ready" in cloud.log(worker) for worker in range(4))
    assert "announced a preemption" in cloud.status()["message"]


def test_a_slice_that_goes_without_notice_is_told_from_a_worker_that_dies(cloud: Herd) -> None:
    controller = begin(cloud, "true")
    cloud.ok("cloud.fault", "terminated")
    assert controller.wait(ENDS_IN_S) == 8, output(controller)
    found = diagnosis(cloud)
    assert found.startswith("maintenance: node.state of "), found
    assert "TERMINATED [node-terminated]" in found


def test_one_dead_process_ends_all_and_is_blamed(cloud: Herd) -> None:
    cmd = 'if [ $TPUHERD_WORKER = 2 ]; then sleep 3; echo "MemoryError: no"; exit 7; fi'
    job = cloud.job(f"{cmd}\nsleep {LONG_S}", accelerator="v5litepod-16", recovery=GIVE_UP)
    done = cloud.ends_with(8, "run", job, timeout_s=ENDS_IN_S)
    assert "worker w2 failed first" in done.stderr + done.stdout
    found = diagnosis(cloud)
    assert found.startswith("host-out-of-memory: line 1 of w2's log"), found
    (failure,) = json.loads(cloud.ok("describe", "job", "--json"))["failures"]
    assert (failure["attempt"], failure["text"]) == (1, found)
    assert "host-out-of-memory" in cloud.ok("describe", "job")


def test_a_silent_worker_is_given_up_and_blamed(cloud: Herd) -> None:
    controller = begin(cloud, "true")
    cloud.ok("cloud.fault", "unreachable-worker", "--worker", "1")
    assert controller.wait(ENDS_IN_S) == 8, output(controller)
    found = diagnosis(cloud)
    assert found.startswith("host-fault: exit of w1: lost [lost]"), found


def test_work_that_hangs_though_it_lives_is_ended_and_goes_on_in_place(cloud: Herd) -> None:
    """By the policy that a job has if it names none; processes that live are no sign of progress."""
    hangs = "while true; do echo waiting; sleep 0.5; done"
    job = cloud.job(
        f"for i in 1 2 3; do echo step $i; sleep 0.3; done\ntest $TPUHERD_STAGE = 2 || {hangs}",
        recovery={"backoff": {"first_s": 0.2}},
        detection={"hung_after_s": 3, "step_pattern": r"^step (\d+)"},
    )
    cloud.ends_with(0, "run", job, timeout_s=ENDS_IN_S)
    assert diagnosis(cloud).startswith("hung: progress: hung: no step for ")
    first, second = json.loads(cloud.ok("history", "job", "--json"))
    assert (first["class"], first["action"], first["state"]) == ("hung", "RestartInPlace", "failed")
    assert (second["resume"], second["state"]) == (True, "succeeded")
    assert len(cloud.operations("create")) == 1


def test_what_logs_and_machines_say_decides_and_not_the_exit_code(cloud: Herd) -> None:
    patterns = [{"id": "my-sensor", "pattern": "sensor [0-9]+ is off", "failure": "maintenance"}]
    more = {"recovery": GIVE_UP, "detection": {"patterns": patterns}}
    cloud.ends_with(8, "run", cloud.job("echo sensor 3 is off; exit 1", name="own", **more))
    assert told(cloud, "own").startswith("maintenance: line 1 of w0's log: sensor 3 is off [my-sensor]")
    shown = json.loads(cloud.ok("detectors", "--job-file", cloud.root / "own.yaml", "--json"))
    assert [row["id"] for row in shown if row["source"] == "the job file"] == ["my-sensor"]

    real = "ulimit -v 4000000; python3 -c 'bytearray(1 << 40)'"
    cloud.ends_with(8, "run", cloud.job(real, name="memory", recovery=GIVE_UP))
    assert told(cloud, "memory").startswith("host-out-of-memory: ")

    job = cloud.job("until [ -e ~/go ]; do sleep 0.1; done; exit 1", name="dirty", recovery=GIVE_UP)
    controller = cloud.start("run", job)
    cloud.until_says(controller, "the workload runs", 60)
    cloud.ok("cloud.fault", "dirty-device")
    (worker,) = cloud.home.glob("emulator/workers/*")
    lock = worker / "tmp" / "libtpu_lockfile"
    assert wait_for(lambda: lock.exists() and lock.read_text())  # written once the lock is held
    (worker / "home" / "go").touch()
    assert controller.wait(ENDS_IN_S) == 8, output(controller)
    found = told(cloud, "dirty")
    assert found.startswith("dirty-device: host of w0: device held by process "), found
    assert "libtpu_lockfile" in found


def told(cloud: Herd, job: str) -> str:
    (text,) = [e["text"] for e in cloud.status(job)["events"] if e["kind"] == "diagnosis"]
    return str(text)
