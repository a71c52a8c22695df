from __future__ import annotations

import subprocess
import sys
import time

import pytest

from .conftest import ended, wait_for

DAEMON = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        if "stubborn" in sys.argv: signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("daemon", os.getpid(), flush=True)
        time.sleep(600)
    os._exit(0)
os.wait()
time.sleep(600 if "wait" in sys.argv else 0)
"""


def alive(worker, pid: int) -> bool:
    return pid in worker.processes()


def daemon_pid(worker, attempt: str) -> int:
    return int(wait_for(lambda: worker.log(attempt)).split()[1])


def test_a_process_that_handles_term_has_its_grace_and_is_stopped(worker):
    script = "trap 'sleep 0.3; echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    worker.start("job.1", script)
    wait_for(lambda: worker.log("job.1"))
    status = worker.stop("job.1", 10)
    assert (status["state"], status["code"], status["signal"]) == ("stopped", 0, None)
    assert status["stop_asked_at"] <= status["ended_at"]
    assert worker.log("job.1").endswith(b"saved\n")


@pytest.mark.parametrize("saving", ["sleep 0.5", "sh -c 'sleep 0.5; exit 0'"])
def test_what_a_process_starts_in_order_to_end_has_its_grace_too(worker, saving):
    """For example the copy of a checkpoint; `&&` tells whether it was left alone."""
    script = (
        f"save() {{ {saving} && echo saved; exit 0; }}; trap save TERM; echo up; while :; do sleep 0.05; done"
    )
    worker.start("job.1", script)
    wait_for(lambda: worker.log("job.1"))
    status = worker.stop("job.1", 20)
    assert (status["state"], status["code"]) == ("stopped", 0)
    assert worker.log("job.1").endswith(b"saved\n")


def test_what_it_leaves_behind_ends_with_it(worker):
    """No child that it started on its way out keeps the stop waiting for the whole grace time."""
    script = "trap 'sleep 600 & echo left $!; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    worker.start("job.1", script)
    wait_for(lambda: worker.log("job.1"))
    worker.stop("job.1", 600)
    assert not alive(worker, int(worker.log("job.1").split()[-1]))


def test_a_tree_that_ignores_term_is_killed_after_the_grace(worker):
    worker.start("job.1", "trap '' TERM; sleep 600 & sleep 600 & echo up; while :; do wait; sleep 0.05; done")
    wait_for(lambda: worker.log("job.1"))
    begun = time.monotonic()
    status = worker.stop("job.1", 1)
    took_s = time.monotonic() - begun
    assert (status["state"], status["signal"]) == ("stopped", "SIGKILL")
    assert took_s >= 1.0
    assert worker.processes() == []


def test_a_daemon_that_escaped_is_found(worker):
    worker.start("job.1", argv=[sys.executable, "-c", DAEMON, "wait"])
    pid = daemon_pid(worker, "job.1")
    assert alive(worker, pid)
    assert worker.stop("job.1", 5)["state"] == "stopped"
    assert worker.processes() == []


def test_a_stubborn_daemon_whose_workload_has_exited_is_killed(worker):
    worker.start("job.1", argv=[sys.executable, "-c", DAEMON, "stubborn"])
    pid = daemon_pid(worker, "job.1")
    assert ended(worker, "job.1")["state"] == "exited"
    assert alive(worker, pid)
    status = worker.stop("job.1", 0.5)
    assert (status["state"], status["code"]) == ("exited", 0)
    assert worker.processes() == []


def test_a_child_that_hides_its_variables_is_found_by_its_session(worker):
    worker.start("job.1", "env -i sleep 598 & echo up; wait")
    wait_for(lambda: worker.log("job.1"))
    worker.stop("job.1", 1)
    done = subprocess.run(["pgrep", "-f", "^sleep 598$"], capture_output=True)
    assert done.stdout == b""


def test_it_works_without_the_keeper(worker):
    worker.start("job.1", "sleep 600 & sleep 600")
    worker.kill_keeper("job.1")
    assert worker.status("job.1")["state"] == "lost"
    assert worker.stop("job.1", 1)["state"] == "stopped"
    assert worker.processes() == []


def test_stopping_again_says_the_same(worker):
    worker.start("job.1", "sleep 600")
    first = worker.stop("job.1")
    assert worker.stop("job.1") == first


def test_concurrent_stops(worker):
    worker.start("job.1", "trap 'sleep 0.3; exit 7' TERM; echo up; while :; do sleep 0.05; done")
    wait_for(lambda: worker.log("job.1"))
    stops = [worker.open("stop", "--attempt", "job.1", stdout=subprocess.PIPE) for _ in range(5)]
    outputs = {stop.communicate()[0] for stop in stops}
    assert len(outputs) == 1
    assert b'"stopped", "code": 7' in outputs.pop()


def test_a_stop_that_comes_first_wins(worker):
    status = worker.stop("job.1")
    assert (status["state"], status["code"]) == ("stopped", None)
    assert worker.start("job.1", "echo x >> $HOME/runs")["state"] == "stopped"
    time.sleep(0.2)
    assert not (worker.home / "runs").exists()


def test_a_stop_at_the_same_time_leaves_nothing_running(worker):
    for number in range(15):
        attempt = f"job.{number}"
        stdin = worker.spec(attempt, "sleep 600")
        start = worker.open("start", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        stop = worker.open("stop", "--attempt", attempt, stdout=subprocess.PIPE)
        start.stdin.write(stdin)
        start.communicate()
        stop.communicate()
        assert (start.returncode, stop.returncode) == (0, 0)
        assert worker.status(attempt)["state"] == "stopped"
        assert worker.processes() == []


def test_a_failure_before_the_stop_stays_a_failure(worker):
    worker.start("job.1", "exit 9")
    ended(worker, "job.1")
    status = worker.stop("job.1")
    assert (status["state"], status["code"]) == ("exited", 9)


def test_the_same_attempt_on_another_worker_of_this_machine_is_not_touched(worker, other_worker):
    worker.start("job.1", "sleep 600")
    other_worker.start("job.1", "sleep 600")
    worker.stop("job.1")
    assert other_worker.status("job.1")["state"] == "running"
    assert worker.processes() == []


def test_the_grace_of_the_spec_is_the_default(worker):
    worker.start("job.1", "trap '' TERM; echo up; while :; do sleep 0.05; done", grace_s=0.4)
    wait_for(lambda: worker.log("job.1"))
    begun = time.monotonic()
    assert worker.answer("stop", "--attempt", "job.1")["signal"] == "SIGKILL"
    assert time.monotonic() - begun > 0.4


END = """
echo "$1" >> "$HOME/ended"
kill "$(cat "$1/outside")"
"""
"""Ends what the workload left outside its processes, as a container engine would."""


def outside(worker) -> None:
    """A program of the worker's own that ends something, and is only found through a path entry."""
    folder = worker.home / "tools"
    folder.mkdir()
    (folder / "end-it").write_text(f"#!/bin/sh\n{END}")
    (folder / "end-it").chmod(0o755)


def start_with_outside(worker, attempt: str, script: str) -> subprocess.Popen[bytes]:
    """Start a workload with a process that is not its own; returns that one."""
    far = subprocess.Popen(["sleep", "600"], env={"HOME": str(worker.home)}, start_new_session=True)
    script = f'echo {far.pid} > "$TPUHERD_ATTEMPT_DIR/outside"; echo up; {script}'
    worker.start(attempt, script, end_command=["end-it"], path_entries=["$HOME/tools"])
    wait_for(lambda: worker.log(attempt))
    return far


def test_what_runs_outside_is_ended_with_the_attempt(worker):
    outside(worker)
    far = start_with_outside(worker, "job.1", "sleep 600")
    assert worker.stop("job.1", 1)["state"] == "stopped"
    assert far.wait(timeout=30) == -15
    assert set((worker.home / "ended").read_text().splitlines()) == {str(worker.directory("job.1"))}


def test_what_runs_outside_is_ended_when_the_workload_failed(worker):
    outside(worker)
    far = start_with_outside(worker, "job.1", "kill -9 $$")
    assert ended(worker, "job.1")["signal"] == "SIGKILL"
    assert far.wait(timeout=30) == -15


def test_an_end_command_that_fails_is_said(worker):
    worker.start("job.1", "echo up; sleep 600", end_command=["no-such-program"])
    wait_for(lambda: worker.log("job.1"))
    code, answer = worker.refusal("stop", "--attempt", "job.1", "--grace", "1")
    assert code == 71
    assert answer["error"] == (
        "what runs outside the attempt's processes is not ended: no-such-program failed: exit 127"
    )
