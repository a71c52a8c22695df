"""Following workloads over connections that break, on workers that go away."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from clouded import HOST, NO_CODE, clouded, eventually

from tpuherd.agent.client import Agents
from tpuherd.engine import following
from tpuherd.engine.following import Follower
from tpuherd.engine.local_log import TAIL_BYTES, log_file, log_tail
from tpuherd.engine.specification import agent_spec
from tpuherd.errors import Cancelled
from tpuherd.model.outcome import ExitKind
from tpuherd.workload import Launch


class Started:
    """A workload on one worker, and what its follower shows."""

    def __init__(self, cloud, held, script, job_id):
        self.job = cloud.job(job_id=job_id, timeouts={"grace_s": 1})
        self.cloud, self.worker = cloud, held.workers[0]
        self.shown = []
        self.job.session.reporter.worker_line = lambda _worker, text: self.shown.append(text)
        self.job.attempt_directory.mkdir(parents=True, exist_ok=True)
        self.agents = Agents(self.job.session.workers(held, self.job.cloud.ssh))
        self.agents.install()
        spec = agent_spec(self.job, held, self.worker, HOST, NO_CODE, Launch(script=script))
        assert not self.agents.start({0: spec}).failed
        self.follower = Follower(self.job, self.agents, self.worker)

    @property
    def log(self):
        path = log_file(self.job.attempt_directory, 0)
        return path.read_text() if path.exists() else ""

    def watchers(self):
        """The agents that send this job's log, as this machine sees them."""
        return [pid for pid, words in _commands() if "watch" in words and self.job.attempt_id in words]

    def cut(self):
        """Kill the SSH session from outside."""
        (watcher,) = eventually(self.watchers)
        for pid in (_parent(watcher), watcher):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        eventually(lambda: watcher not in self.watchers())

    def end(self):
        self.follower.abandon()
        self.agents.stop(self.job.attempt_id, workers=[0], grace_s=0.5)


def _commands():
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                yield int(folder.name), (folder / "cmdline").read_text(errors="replace").split("\0")
            except OSError:
                continue


def _parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.fixture
def one(cloud):
    import tpuherd_tpu_vm

    job = cloud.job(job_id="follow-0001")
    return tpuherd_tpu_vm.provision(job, job.attempt)


@pytest.fixture
def start(cloud, one):
    """Start a workload on the module's worker; it is ended at the end of the test."""
    made = []

    def begin(script, job_id, cloud=cloud, held=one):
        made.append(Started(cloud, held, script, job_id))
        return made[-1]

    yield begin
    for started in made:
        started.end()


def in_thread(work):
    result = []
    thread = threading.Thread(target=lambda: result.append(work()))
    thread.start()
    return thread, result


def test_no_line_is_lost_or_doubled_over_cut_connections(start):
    script = "for i in $(seq 60); do printf 'line '; sleep 0.02; echo $i; sleep 0.03; done"
    started = start(script, "cut-0001")
    thread, result = in_thread(started.follower.run)
    for count in (5, 20, 35):
        eventually(lambda count=count: f"line {count}\n" in started.log)
        started.cut()
    thread.join(30)
    assert result[0].kind is ExitKind.EXITED
    assert result[0].code == 0
    wanted = [f"line {number}" for number in range(1, 61)]
    assert started.log.splitlines() == wanted
    assert started.shown == wanted


def test_another_process_goes_on_where_the_file_ends(start):
    started = start("for i in $(seq 5); do echo line $i; done", "resumed-0001")
    log_file(started.job.attempt_directory, 0).write_text("line 1\nline 2\nli")
    assert started.follower.run().code == 0
    assert started.log == "".join(f"line {number}\n" for number in range(1, 6))
    assert Follower(started.job, started.agents, started.worker).run().code == 0
    assert started.log.count("line") == 5


def test_a_failure_keeps_the_end_of_its_log(start):
    started = start("seq 2000; echo broken; exit 7", "failing-0001")
    end = started.follower.run()
    assert (end.kind, end.code, end.failed) == (ExitKind.EXITED, 7, True)
    lines = end.log_tail.splitlines()
    assert lines[-1] == "broken"
    assert lines[-2] == "2000"
    assert lines[0].isdigit()
    assert len(end.log_tail) <= TAIL_BYTES


def test_a_signal_is_told_from_an_exit_code(start):
    started = start("kill -SEGV $$", "signalled-0001")
    end = started.follower.run()
    assert (end.kind, end.code) == (ExitKind.SIGNALLED, signal.SIGSEGV)


def test_what_other_launchers_left_on_a_worker_stays_there(cloud, one, start):
    settings = cloud.home(one.workers[0]) / ".bashrc"
    settings.write_text("export SLURM_JOB_ID=1 SLURM_NTASKS=1 OTHER=kept\n")
    try:
        started = start('echo "[$SLURM_JOB_ID$SLURM_NTASKS] $OTHER"', "leaked-0001")
        assert started.follower.run().code == 0
    finally:
        settings.unlink()
    assert started.log == "[] kept\n"


def test_abandoned_it_leaves_the_workload_alone(start):
    started = start("sleep 60", "abandoned-0001")
    raised = []

    def follow():
        with pytest.raises(Cancelled) as caught:
            started.follower.run()
        raised.append(caught.value)

    thread, _ = in_thread(follow)
    eventually(started.watchers)
    started.follower.abandon()
    thread.join(10)
    assert raised
    assert any("sleep" in words and "60" in words for _, words in _commands())


def test_after_a_long_silence_it_is_lost(tmp_path, monkeypatch, start):
    monkeypatch.setattr(following, "LOST_AFTER_S", 2.0)
    monkeypatch.setattr(following, "RECONNECT_S", 0.1)
    import tpuherd_tpu_vm

    with clouded(tmp_path) as cloud:
        job = cloud.job(job_id="lost-0001")
        held = tpuherd_tpu_vm.provision(job, job.attempt)
        started = start("echo last words; sleep 60", "silent-0001", cloud, held)
        thread, result = in_thread(started.follower.run)
        eventually(lambda: "last" in started.log)
        tpuherd_tpu_vm.release(job, held)
        began = time.monotonic()
        thread.join(30)
        assert (result[0].kind, result[0].code) == (ExitKind.LOST, None)
        assert result[0].log_tail == "last words"
        assert time.monotonic() - began > 1


def test_the_tail_of_a_log_begins_with_a_whole_line(tmp_path):
    log = tmp_path / "log"
    assert log_tail(log) == ""
    log.write_text("short\n")
    assert log_tail(log) == "short"
    log.write_text("".join(f"line {number}\n" for number in range(1000)))
    tail = log_tail(log)
    assert tail.endswith("line 999")
    assert tail.splitlines()[0].startswith("line ")
    assert len(tail) <= TAIL_BYTES
    log.write_text("x" * 10_000)
    assert set(log_tail(log)) == {"x"}
