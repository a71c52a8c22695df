"""What a workload says how far it is, and what the kernel did to it."""

from __future__ import annotations

import json

import pytest

from .conftest import ended, wait_for


def test_the_progress_that_the_work_writes_is_told(worker):
    record = json.dumps({"step": 3, "total": 10, "checkpoint_step": 2, "note": "x"})
    script = f"echo '{record}' > $TPUHERD_ATTEMPT_DIR/progress.json; sleep 300"
    worker.start("job.1", script)
    status = wait_for(lambda: (s := worker.status("job.1"))["progress"] and s)
    assert status["progress"] == {"step": 3, "total": 10, "checkpoint_step": 2}


@pytest.mark.parametrize("text", ["", "no json", "[1]", '{"step": "many"}', '{"step": -1}', "x" * 5000])
def test_progress_that_makes_no_sense_is_none(worker, text):
    worker.start("job.1", "sleep 300")
    (worker.directory("job.1") / "progress.json").write_text(text)
    assert worker.status("job.1")["progress"] is None
    (worker.directory("job.1") / "progress.json").write_text(json.dumps({"step": 1}))
    assert worker.status("job.1")["progress"] == {"step": 1}


def test_after_a_failure_it_is_known_how_often_the_kernel_killed_for_want_of_memory(worker):
    worker.start("job.1", "kill -KILL $$")
    worker.start("job.2", "true")
    assert ended(worker, "job.1")["oom_kills"] is not None
    assert ended(worker, "job.2")["oom_kills"] is None
