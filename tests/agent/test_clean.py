from __future__ import annotations

import os
import signal
import time

from .conftest import ended, wait_for


def test_the_last_ended_attempts_stay(worker):
    for number in range(4):
        worker.start(f"job.{number}", "true")
        ended(worker, f"job.{number}")
        time.sleep(0.02)
    worker.start("job.running", "sleep 60")
    assert worker.answer("clean", "--keep", "2") == {"removed": ["job.0", "job.1"]}
    names = [status["attempt"] for status in worker.answer("status")["attempts"]]
    assert names == ["job.2", "job.3", "job.running"]
    assert worker.answer("clean", "--keep", "2") == {"removed": []}


def test_a_lost_attempt_whose_processes_live_stays(worker):
    worker.start("job.1", "sleep 60")
    worker.kill_keeper("job.1")
    assert worker.answer("clean", "--keep", "0") == {"removed": []}
    for pid in worker.processes():
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not worker.processes())
    assert worker.answer("clean", "--keep", "0") == {"removed": ["job.1"]}


def test_nothing_to_clean(worker):
    assert worker.answer("clean", "--keep", "5") == {"removed": []}


def test_wrong_commands_are_one_line_and_touch_nothing(worker):
    for args in (
        ["fly"],
        ["stop"],
        ["clean", "--keep", "-1"],
        ["log", "--attempt", "a", "--offset", "x"],
        ["stop", "--attempt", "a/b"],
        ["stop", "--attempt", "a", "--grace", "nan"],
        ["status", "--attempt", ""],
        ["status", "--attempt", "x" * 121],
    ):
        code, answer = worker.refusal(*args)
        assert code == 64, args
        assert answer["error"]
    assert not (worker.home / ".tpuherd" / "attempts").exists()
