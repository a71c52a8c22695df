"""What is shown of a job: from rows of the store, logs and samples to cells."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tpuherd.model.failure import Diagnosis, FailureClass, GiveUp, ReplaceSlice
from tpuherd.monitoring.last_line import last_line, plain
from tpuherd.monitoring.table import (
    COLUMNS,
    cells,
    live_table,
    progress_text,
    rate_text,
    shown_columns,
    state_text,
)
from tpuherd.monitoring.view import JobView
from tpuherd.monitoring.watch import Watch, chosen
from tpuherd.recovery.texts import diagnosis_text, recovery_text
from tpuherd.store.records import JobState

VIEW = JobView(job="job-0001", owner="ada", attempt=2, state="live", driver="me")


@pytest.fixture
def view(store, tpuherd_plugins):
    watch = Watch(store, tpuherd_plugins)
    return lambda job_id="job-0001": watch.view(store.jobs.get(job_id))


def decide(store, recovery, job_id="job-0001"):
    found = Diagnosis(failure=FailureClass.PREEMPTED, evidence=("it is gone",))
    texts = {"diagnosis": diagnosis_text(found), "recovery": recovery_text(recovery)}
    return store.recoveries.decide(job_id, 1, at=time.time(), **texts)


def test_a_job_that_has_not_begun_is_waiting(store, add_job, view):
    add_job()
    seen = view()
    assert (seen.state, seen.stage, seen.failure, seen.driver) == ("live", "", "", "")
    assert (seen.step, seen.cost_usd, seen.last_line) == (None, 0.0, "")
    assert state_text(seen).startswith("waiting ")
    assert state_text(seen).endswith("(not driven)")


def test_the_stage_and_who_drives_it(store, add_job, view):
    add_job()
    store.leases.take("job-0001")
    store.stages.start("job-0001", 1, "provision")
    assert view().stage == "provision"
    store.stages.finish("job-0001", 1, "provision", "{}")
    assert view().stage == ""
    store.stages.start("job-0001", 1, "prepare_env")
    seen = view()
    assert (seen.stage, bool(seen.driver)) == ("prepare_env", True)
    assert "not driven" not in state_text(seen)


def test_a_recovery_that_is_carried_out_and_the_class_of_the_last_failure(store, add_job, view):
    add_job()
    row = decide(store, ReplaceSlice(reason="it is gone"))
    assert (view().stage, view().failure) == ("ReplaceSlice", "preempted")
    store.recoveries.done(row)
    assert (view().stage, view().failure) == ("", "preempted")
    decide(store, GiveUp(reason="enough"))
    assert view().stage == ""


def test_progress_rate_and_the_time_to_the_end(add_job, view):
    record = add_job()
    now = time.time()
    rows = [{"at": now - 10, "step": 10, "total": 100, "checkpoint_step": 5}]
    rows.append({"at": now, "step": 30, "total": 100, "checkpoint_step": 25})
    Path(record.directory, "attempt-1", "progress.json").write_text(json.dumps(rows))
    seen = view()
    assert (seen.step, seen.total, seen.checkpoint_step) == (30, 100, 25)
    assert seen.rate_per_s == pytest.approx(2.0)
    assert seen.eta_s == pytest.approx(35.0, abs=30)  # the clock goes on
    assert cells(seen)[4:6] == ("30/100 30%, saved 25", "2/s")


def test_a_job_whose_file_means_nothing_any_more_is_shown_without_a_cost(add_job, view):
    add_job(text="workload: {kind: uninstalled}\n")
    assert view().cost_usd is None
    assert cells(view())[COLUMNS.index("cost")] == "?"


def test_the_cost_of_a_job_that_holds_slices(store, add_job, view, job_factory):
    from tpuherd.engine.stages import Stage, encode

    add_job()
    job = job_factory({"cloud": "google", "tpu": {"accelerator": "v5litepod-16", "zone": "us-west4-a"}})
    store.stages.start("job-0001", 1, "provision")
    store.stages.finish("job-0001", 1, "provision", encode(Stage.PROVISION, job_factory.allocation(job)))
    assert view().cost_usd > 0.0


def test_the_newest_line_of_any_worker(tmp_path):
    assert last_line(tmp_path) == ""
    for worker, text, at in ((0, "old\n", 100), (11, "one\n\x1b[31mtwo\x1b[0m 10%\r 20%\r\n\n", 200)):
        path = tmp_path / f"worker-{worker}.log"
        path.write_text(text)
        os.utime(path, (at, at))
    assert last_line(tmp_path) == "w11 20%"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("\x1b[1;32mok\x1b[0m", "ok"),
        ("\x1b]0;title\x07text", "text"),
        ("a\tb\x00c", "a b c"),
        ("10%\r20%\r", "20%"),
        ("\x1b(Bplain", "plain"),
    ],
)
def test_a_line_cannot_disturb_the_screen(line, shown):
    assert plain(line) == shown


def test_which_jobs_are_shown_and_in_which_order(add_job):
    job = add_job()
    now = 10_000.0
    over = replace(job, id="over", state=JobState.FAILED, ended_at=now - 100)
    just = replace(job, id="just", state=JobState.SUCCEEDED, ended_at=now - 10)
    old = replace(job, id="old", state=JobState.FAILED, ended_at=now - 4000)
    assert [one.id for one in chosen([old, over, just, job], now)] == ["job-0001", "just", "over"]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, ""),
        ({"checkpoint_step": 3}, "saved 3"),
        ({"step": 3}, "3"),
        ({"step": 3, "total": 0}, "3"),
        ({"step": 3, "total": 12}, "3/12 25%"),
    ],
)
def test_progress_reads(values, text):
    assert progress_text(replace(VIEW, **values)) == text


def test_a_step_that_is_old_has_its_age():
    assert progress_text(replace(VIEW, step=3, step_at=time.time() - 7300)) == "3, 2.0 h ago"
    ended = replace(VIEW, step=3, step_at=0.0, state="failed", ended=True)
    assert progress_text(ended) == "3"


@pytest.mark.parametrize(
    ("rate", "text"), [(None, ""), (12.34, "12.3/s"), (0.5, "30/min"), (0.01, "36/h"), (0.0, "0/h")]
)
def test_rates_read(rate, text):
    assert rate_text(rate) == text


def test_narrow_terminals_have_fewer_columns_and_each_job_one_line():
    from rich.console import Console

    assert shown_columns(150) == list(COLUMNS)
    assert shown_columns(149) == list(COLUMNS[:-1])
    assert shown_columns(80) == ["job", "state", "progress", "ETA", "cost"]
    views = [replace(VIEW, job=f"job-{n:04}", last_line="x" * 500, stage="run_workload") for n in range(5)]
    for width in (80, 120, 200):
        console = Console(width=width)
        with console.capture() as shown:
            console.print(live_table(views, "job-0003", width))
        lines = [line for line in shown.get().splitlines() if "job-00" in line]
        assert len(lines) == 5
        assert max(map(len, lines)) <= width
