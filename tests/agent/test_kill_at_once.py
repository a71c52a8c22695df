"""`kill`: an attempt dies as if its machine had."""

from __future__ import annotations

from .conftest import wait_for


def test_a_workload_that_ignores_term_dies_at_once_and_was_not_stopped(worker):
    worker.start("job.1", "trap 'echo asked' TERM; setsid sleep 600 & echo up; while :; do sleep 0.05; done")
    wait_for(lambda: worker.log("job.1"))
    status = worker.answer("kill", "--attempt", "job.1")
    assert (status["state"], status["signal"], status["stop_asked_at"]) == ("signalled", "SIGKILL", None)
    assert worker.processes() == []
    assert worker.log("job.1") == b"up\n"
    assert worker.answer("kill", "--attempt", "job.1") == status


def test_one_that_was_not_started_may_still_be(worker):
    assert worker.answer("kill", "--attempt", "job.1")["state"] == "absent"
    worker.start("job.1", "sleep 600")
    assert worker.status("job.1")["state"] == "running"


def test_one_that_has_ended_stays_as_it_ended(worker):
    worker.start("job.1", "exit 3")
    wait_for(lambda: worker.status("job.1")["state"] == "exited")
    status = worker.answer("kill", "--attempt", "job.1")
    assert (status["state"], status["code"]) == ("exited", 3)
