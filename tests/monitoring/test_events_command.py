"""`tpuherd events`: what happened to a job, and what happens."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from tpuherd.model.event import Event
from tpuherd.monitoring.event_stream import stream
from tpuherd.store.records import JobState


@pytest.fixture
def say(store, add_job):
    """A job whose events the test tells."""
    record = add_job()

    def tell(kind, text="text", at=0.0):
        store.events.add(Event(job_id=record.id, attempt=1, kind=kind, text=text, at=at or time.time()))

    return tell


@pytest.fixture
def events(store, tpuherd_run, monkeypatch):
    monkeypatch.setenv("TPUHERD_DATABASE", str(store.engine.url))
    return lambda *words: tpuherd_run("events", "job-0001", *words)


def test_all_of_a_kind_the_last_ones_and_those_since(say, events):
    for number in range(3):
        say("recovery", f"Wait: {number}", at=1000.0 + number)
    say("diagnosis", "hung: now")
    texts = lambda *words: [row["text"] for row in json.loads(events(*words, "--json").stdout)]  # noqa: E731
    assert texts() == ["Wait: 0", "Wait: 1", "Wait: 2", "hung: now"]
    assert texts("--kind", "recovery", "--last", "2") == ["Wait: 1", "Wait: 2"]
    assert texts("--since", "1h") == ["hung: now"]
    assert texts("--since", "1970-01-01T00:16:42Z", "-k", "recovery") == ["Wait: 2"]
    assert "hung: now" in events().stdout
    assert events("--since", "soon").exit_code == 3


def test_following_ends_with_the_job(say, store, events):
    say("recovery", "Wait: a bit\nmore")
    command = [sys.executable, "-P", "-m", "tpuherd", "events", "job-0001", "-f", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert json.loads(process.stdout.readline())["text"] == "Wait: a bit\nmore"
        say("diagnosis", "hung: now")
        assert json.loads(process.stdout.readline())["kind"] == "diagnosis"
        store.jobs.end("job-0001", JobState.FAILED, 8, "it hung")
        say("job.ended", "failed")
        rest, _ = process.communicate(timeout=60)
    assert [json.loads(line)["kind"] for line in rest.splitlines()] == ["job.ended"]
    assert process.returncode == 0
    lines = events("--follow").stdout.splitlines()
    assert [line.split()[3] for line in lines] == ["recovery", "diagnosis", "job.ended"]
    assert lines[0].endswith("Wait: a bit")


def test_a_job_whose_last_event_never_came_has_ended_all_the_same(say, store):
    say("recovery", "Wait: a bit")
    store.jobs.end("job-0001", JobState.FAILED, 8, "it hung")
    assert [event.kind for event in stream(store, "job-0001")] == ["recovery"]
