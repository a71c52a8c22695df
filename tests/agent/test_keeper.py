from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import ended, wait_for


def test_an_attempt_that_does_not_exist_is_absent(worker):
    assert worker.status("job.1")["state"] == "absent"
    assert worker.answer("status") == {"attempts": []}
    assert not worker.directory("job.1").exists()


def test_the_heart_beats_every_second(worker):
    worker.start("job.1", "sleep 60")
    first = worker.status("job.1")
    wait_for(lambda: worker.status("job.1")["heartbeat_at"] > first["heartbeat_at"] + 1)
    assert worker.status("job.1")["problem"] == ""


def test_the_keeper_is_small_and_idle(worker):
    worker.start("job.1", "sleep 60")
    pid = worker.keeper_pid("job.1")
    time.sleep(0.7)
    before = cpu_s(pid)
    time.sleep(2)
    used_s = cpu_s(pid) - before
    kib = next(int(line.split()[1]) for line in rollup(pid) if line.startswith("Pss:"))
    print(f"keeper: {kib} KiB, {used_s:.2f} CPU s in 2 s")
    assert used_s <= 0.05
    assert kib < 25_000


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rollup(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()


def test_without_its_keeper_an_attempt_is_lost_but_no_output_is(worker):
    worker.start("job.1", "for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done; sleep 60")
    wait_for(lambda: worker.log("job.1"))
    worker.kill_keeper("job.1")
    assert worker.status("job.1")["state"] == "lost"
    wait_for(lambda: worker.log("job.1") == b"1\n2\n3\n4\n5\n6\n")
    again = worker.start("job.1", "echo again")
    assert again["state"] == "lost"
    assert b"again" not in worker.log("job.1")


def test_terminate_and_hangup_do_not_end_the_keeper(worker):
    """What a shutdown or a logout sends: the end of the workload must still be recorded."""
    worker.start("job.1", "sleep 60")
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        os.kill(worker.keeper_pid("job.1"), number)
    os.kill(worker.status("job.1")["pid"], signal.SIGKILL)
    status = ended(worker, "job.1")
    assert (status["state"], status["signal"]) == ("signalled", "SIGKILL")
    wait_for(lambda: not worker.status("job.1")["keeper_alive"])


def test_the_end_is_seen_at_once(worker):
    worker.start("job.1", "sleep 0.5; date +%s.%N")
    wait_for(lambda: worker.status("job.1")["state"] == "exited")
    assert worker.status("job.1")["ended_at"] - float(worker.log("job.1")) < 0.1


@pytest.mark.skipif(os.getuid() != 0, reason="a small disk can only be mounted by root")
def test_a_full_disk_is_reported_and_nothing_is_corrupt(worker):
    attempts = worker.home / ".tpuherd" / "attempts"
    attempts.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", attempts], capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"no mount here: {mounted.stderr.decode().strip()}")
    try:
        full_disk(worker, attempts / "ballast")
    finally:
        for pid in worker.processes():
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not worker.processes())
        subprocess.run(["umount", attempts], check=True)


def full_disk(worker, ballast: Path) -> None:
    worker.start("job.1", "until [ -e $HOME/go ]; do sleep 0.05; done; exit 4")
    fill(ballast)
    code, answer = worker.refusal("start", stdin=worker.spec("job.2", "echo x >> $HOME/runs"))
    assert code in {71, 74}
    assert "No space left on device" in answer["error"]
    (worker.home / "go").touch()
    problem = wait_for(lambda: worker.status("job.1")["problem"])
    assert problem == "cannot write exit.json: No space left on device"
    assert worker.status("job.1")["state"] == "running"
    ballast.unlink()
    status = ended(worker, "job.1")
    assert (status["state"], status["code"]) == ("exited", 4)
    worker.start("job.2", "echo x >> $HOME/runs")
    assert ended(worker, "job.2")["state"] == "exited"
    assert (worker.home / "runs").read_text() == "x\n"


def fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            return


@pytest.mark.parametrize("python", [sys.executable, "/usr/bin/python3"])
def test_other_pythons(worker, python):
    if not shutil.which(python):
        pytest.skip(f"no {python} here")
    link = Path(worker.environment["PATH"].split(":")[0]) / "python3"
    link.unlink()
    link.symlink_to(python)
    worker.start("job.1", "echo hi; exit 2")
    assert ended(worker, "job.1")["code"] == 2
    worker.start("job.2", "sleep 60")
    assert worker.stop("job.2")["state"] == "stopped"
    assert json.loads(worker.run("clean", "--keep", "0").stdout)["removed"] == ["job.1", "job.2"]
