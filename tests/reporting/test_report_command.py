"""From the rows of the store to what `tpuherd report` prints."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pasts import GOOD, PREEMPTED, past

from tpuherd.engine.stages import Stage, encode
from tpuherd.model.failure import Diagnosis, FailureClass
from tpuherd.model.outcome import ExitKind, WorkerExit, WorkloadExit
from tpuherd.model.sighting import Progress, WorkerSighting
from tpuherd.monitoring.progress_file import ProgressWriter, progress_file
from tpuherd.recovery.texts import diagnosis_text
from tpuherd.reporting.gathering import gather
from tpuherd.store.records import JobState

GOOGLE = {"cloud": "google", "tpu": {"accelerator": "v5litepod-16", "zone": "us-west4-a"}}
PRICE = 16 * 1.2
"""US dollars per hour of a v5litepod-16 on demand in us-west4."""


def ended(code, at, *saved):
    """Both workers ended with a code; each of the pairs is a checkpoint with its moment, one per worker."""
    sightings = [
        WorkerSighting(worker=index, progress=Progress(checkpoint_step=step, checkpoint_at=moment))
        for index, (step, moment) in enumerate(saved)
    ]
    ends = [
        WorkerExit(worker=index, kind=ExitKind.EXITED, code=code, ended_at=at - index, clock_ahead_s=1.0)
        for index in range(2)
    ]
    return WorkloadExit(workers=tuple(ends), sightings=tuple(sightings))


@pytest.fixture
def preempted(store, add_job, job_factory):
    """The example of docs/how-to/report.md as a job of the store."""
    record = add_job(attempt=2)
    job = job_factory(GOOGLE)
    found = diagnosis_text(Diagnosis(failure=FailureClass.PREEMPTED, evidence=("it is gone",)))
    store.attempts.begin_next(
        record.id, 2, zone=None, resume=True, diagnosis=found, recovery="ReplaceSlice", kept=()
    )
    ends = {1: ended(1, 1111.0, (7, 910.0), (7, 912.0)), 2: ended(0, 1941.0)}
    for number, end in ends.items():
        for stage, value in ((Stage.PROVISION, job_factory.allocation(job)), (Stage.RUN_WORKLOAD, end)):
            store.stages.start(record.id, number, stage.value)
            store.stages.finish(record.id, number, stage.value, encode(stage, value))
    for event in past(PREEMPTED).events:
        store.events.add(event)
    store.jobs.end(record.id, JobState.SUCCEEDED, 0, "")
    return store.jobs.get(record.id)


def test_what_is_gathered_of_attempts(store, preempted, job_factory):
    found = gather(store, preempted, job_factory.spec(GOOGLE))
    first, second = found.attempts
    assert (first.failure, first.saved_at, first.workload_ended_at, first.succeeded) == (
        "preempted",
        910.0,
        1110.0,
        False,
    )
    assert (second.resume, second.succeeded, second.failure, second.saved_at) == (True, True, "", None)
    assert first.usd_per_h == second.usd_per_h == pytest.approx(PRICE)
    assert gather(store, preempted, None).attempts[0].usd_per_h is None


def test_the_file_of_the_attempt_knows_checkpoints_that_no_end_tells_of(
    store, preempted, monkeypatch, tmp_path
):
    folder = tmp_path / "home" / "jobs" / preempted.id / "attempt-2"
    folder.mkdir(parents=True)
    ProgressWriter(progress_file(folder)).note([Progress(checkpoint_step=9, checkpoint_at=1500.0)])
    assert gather(store, preempted, None).attempts[1].saved_at == 1500.0


def test_the_end_of_a_job_whose_controller_died_before_it_told_of_it(store, add_job):
    record = replace(add_job(), state=JobState.FAILED, ended_at=50.0)
    (event,) = gather(store, record, None).events
    assert (event.kind, event.at) == ("job.ended", 50.0)


@pytest.fixture
def report(store, tpuherd_run, monkeypatch):
    monkeypatch.setenv("TPUHERD_DATABASE", str(store.engine.url))
    return lambda *words: tpuherd_run("report", *words)


def test_json(report, preempted):
    done = report("--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    (job,) = told["jobs"]
    assert (job["job"], job["state"], job["attempts"]) == ("job-0001", "succeeded", 2)
    assert job["productive_s"] == pytest.approx(1300)
    assert job["goodput"] == pytest.approx(2 / 3)
    assert job["cost_usd"] == pytest.approx(PRICE * 1544 / 3600)
    losses = {(one["cause"], one["after"]): one["seconds"] for one in job["losses"]}
    assert losses["lost work", "preempted"] == pytest.approx(200)
    assert told["total"]["goodput"] == job["goodput"]
    assert told["since"] is None


def test_tables(report, preempted, store, add_job):
    text = report().stdout
    assert "66.7%" in text
    assert not [line for line in text.splitlines() if line.split()[:1] == ["all"]]
    add_job("other-0001", state=JobState.FAILED, ended_at=20.0)
    text = report().stdout
    firsts = [line.split()[0] for line in text.splitlines() if line.strip()]
    assert firsts.index("job-0001") < firsts.index("other-0001") < firsts.index("all") < firsts.index("lost")
    assert "lost work" in text
    assert "other-0001" not in report("job-0001").stdout


def test_since_and_jobs_that_are_not_there(report, preempted):
    told = json.loads(report("--since", "1h", "--json").stdout)
    assert (told["jobs"], told["total"]["goodput"]) == ([], None)
    assert json.loads(report("job-0001", "--since", "1970-01-01T00:28:10Z", "--json").stdout)["total"][
        "productive_s"
    ] == pytest.approx(250)
    assert report("--since", "soon").exit_code == 3
    assert report("nobody").exit_code == 10


def test_a_price_that_is_not_known_is_said(report, add_job, store):
    record = add_job(text="workload: {kind: uninstalled}\n")
    for event in past(GOOD).events:
        store.events.add(event)
    store.jobs.end(record.id, JobState.SUCCEEDED, 0, "")
    done = report()
    assert done.exit_code == 0, done.stderr
    assert "?: the list price of some slices is not known" in done.stdout
