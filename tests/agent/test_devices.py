from __future__ import annotations

import subprocess
import sys

import pytest

from .conftest import wait_for


@pytest.fixture
def device(worker):
    device = worker.home / "dev" / "accel0"
    device.parent.mkdir()
    device.touch()
    return device


@pytest.fixture
def foreign_holder(device):
    code = "import sys; f = open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    argv = [sys.executable, "-c", code, str(device)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process
        process.kill()


def test_no_devices(worker):
    assert worker.answer("devices") == {"devices": [], "holders": []}


def test_a_foreign_process_keeps_a_start_away_and_is_named_and_left_alone(worker, device, foreign_holder):
    (holder,) = worker.answer("devices")["holders"]
    assert (holder["pid"], holder["attempt"], holder["devices"]) == (foreign_holder.pid, None, [str(device)])
    spec = worker.spec("job.1", "echo x >> $HOME/runs", check_devices=True)
    code, answer = worker.refusal("start", stdin=spec)
    assert code == 75
    assert f"pid {foreign_holder.pid}" in answer["error"]
    assert answer["device_holders"] == [holder]
    assert foreign_holder.poll() is None
    assert worker.status("job.1")["state"] == "absent"
    foreign_holder.kill()
    foreign_holder.wait()
    assert worker.answer("start", stdin=spec)["state"] in {"running", "exited"}
    wait_for((worker.home / "runs").exists)


def test_without_the_check_it_starts(worker, foreign_holder):
    assert worker.start("job.1", "sleep 60")["state"] == "running"


def test_our_own_leftover_is_named_by_its_attempt_and_gone_after_a_stop(worker, device):
    worker.start("job.1", f"sleep 600 < {device} & sleep 0.3")
    leftover = wait_for(lambda: worker.status("job.1")["device_holders"])
    assert [(holder["attempt"], holder["command"]) for holder in leftover] == [("job.1", "sleep 600")]
    code, answer = worker.refusal("start", stdin=worker.spec("job.2", "true", check_devices=True))
    assert (code, answer["device_holders"][0]["attempt"]) == (75, "job.1")
    assert worker.stop("job.1")["device_holders"] == []
    assert worker.start("job.2", "true", check_devices=True)["state"] in {"running", "exited"}
