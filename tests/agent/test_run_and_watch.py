"""`run`: what `start` and `watch` do, in one command."""

from __future__ import annotations

import signal
import subprocess

import pytest

from .conftest import ended, wait_for
from .test_watch import Watch

COUNTED = "echo x >> $HOME/runs; echo 1; until [ -e $HOME/go ]; do sleep 0.01; done; echo 2; exit 5"


class Run(Watch):
    """A `run` at work; `spec` was its input."""

    def __init__(self, worker, spec: bytes, offset: int = 0):
        super().__init__(worker, "", offset, words=("run",), stdin=subprocess.PIPE)
        self.process.stdin.write(spec)
        self.process.stdin.close()


def test_it_starts_and_sends_everything_to_the_end(worker):
    run = Run(worker, worker.spec("job.1", COUNTED))
    while not run.log:
        run.read()
    (worker.home / "go").touch()
    last = run.to_end()
    assert bytes(run.log) == b"1\n2\n"
    assert (last.attempt, last.state, last.code) == ("job.1", "exited", 5)
    assert worker.status("job.1")["state"] == "exited"


def test_a_second_one_starts_nothing_and_sends_the_same(worker):
    (worker.home / "go").touch()
    for offset, log in ((0, b"1\n2\n"), (2, b"2\n")):
        run = Run(worker, worker.spec("job.1", COUNTED), offset)
        assert run.to_end().code == 5
        assert bytes(run.log) == log
    assert (worker.home / "runs").read_text() == "x\n"


def test_many_at_once_start_it_once(worker):
    (worker.home / "go").touch()
    runs = [Run(worker, worker.spec("job.1", COUNTED)) for _ in range(6)]
    assert {(run.to_end().code, bytes(run.log)) for run in runs} == {(5, b"1\n2\n")}
    assert (worker.home / "runs").read_text() == "x\n"


def test_killed_it_leaves_the_workload_to_the_next_watch(worker):
    run = Run(worker, worker.spec("job.1", COUNTED))
    while not run.log:
        run.read()
    run.process.send_signal(signal.SIGKILL)
    run.process.wait(30)
    run.process.stdout.close()
    (worker.home / "go").touch()
    watch = Watch(worker, "job.1", len(run.log))
    assert watch.to_end().code == 5
    assert bytes(run.log + watch.log) == b"1\n2\n"


def test_it_is_over_when_nobody_reads(worker):
    run = Run(worker, worker.spec("job.1", COUNTED))
    while not run.log:
        run.read()
    run.process.stdout.close()
    assert run.process.wait(30) == 0
    assert worker.status("job.1")["state"] == "running"
    (worker.home / "go").touch()
    assert ended(worker, "job.1")["code"] == 5


@pytest.mark.parametrize(
    ("spec", "code", "word"),
    [
        (b"not json {", 65, "no JSON"),
        (b'{"attempt": "a", "script": "x", "cwd": "$HOME/missing"}', 65, "cwd"),
        (b'{"attempt": "../a", "script": "x"}', 64, "bad attempt id"),
    ],
)
def test_a_refusal_is_that_of_start_and_nothing_is_sent(worker, spec, code, word):
    done = worker.run("run", stdin=spec)
    assert (done.returncode, done.stdout) == (code, b"")
    assert worker.refusal("run", stdin=spec) == worker.refusal("start", stdin=spec)
    assert word in done.stderr.decode()
    assert not (worker.home / ".tpuherd" / "attempts").exists()


def test_a_busy_device_is_a_refusal_too(worker):
    device = worker.home / "dev" / "accel0"
    device.parent.mkdir()
    device.touch()
    with device.open() as held, subprocess.Popen(["sleep", "60"], stdin=held) as holder:
        spec = worker.spec("job.1", "echo x >> $HOME/runs", check_devices=True)
        code, answer = worker.refusal("run", stdin=spec)
        holder.kill()
    assert code == 75
    assert holder.pid in [one["pid"] for one in answer["device_holders"]]
    assert not (worker.home / "runs").exists()
    assert worker.status("job.1")["state"] == "absent"


def test_a_log_of_another_worker_is_told(worker):
    done = worker.run("run", "--offset", "100", stdin=worker.spec("job.1", "true"))
    assert done.returncode == 66
    assert "offset 100 is beyond the end" in done.stderr.decode()


def test_one_that_was_stopped_before_never_starts(worker):
    worker.stop("job.1")
    run = Run(worker, worker.spec("job.1", COUNTED))
    assert run.to_end().state == "stopped"
    wait_for(lambda: not worker.processes())
    assert not (worker.home / "runs").exists()
