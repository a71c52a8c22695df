"""Claims: two jobs never get the same machine, and a job that ended holds none."""

from __future__ import annotations

import subprocess
import sys

import pytest
from machines import record

from tpuherd.store.records import JobState

RACER = """
import sys
from tpuherd.store.store import open_store
store = open_store()
print("ready", flush=True)
sys.stdin.readline()
print(store.claims.take(sys.argv[1], sys.argv[2:]) is None, flush=True)
"""


@pytest.fixture
def jobs(store):
    for number in (1, 2, 3):
        store.jobs.add(record(f"job-000{number}"))
    return store


def test_the_second_job_is_told_who_has_it(jobs):
    assert jobs.claims.take("job-0001", ["a", "b"]) is None
    assert jobs.claims.take("job-0002", ["b", "c"]) == "job-0001"
    assert jobs.claims.all() == {"a": "job-0001", "b": "job-0001"}
    assert jobs.claims.take("job-0002", ["c"]) is None


def test_again_it_stays_ones_own(jobs):
    assert jobs.claims.take("job-0001", ["a"]) is None
    assert jobs.claims.take("job-0001", ["a", "b"]) is None
    assert jobs.claims.of_job("job-0001") == {"a", "b"}


def test_given_back_it_is_free(jobs):
    jobs.claims.take("job-0001", ["a", "b"])
    jobs.claims.give_back("job-0001", ["a"])
    assert jobs.claims.of_job("job-0001") == {"b"}
    jobs.claims.give_back("job-0001")
    assert jobs.claims.take("job-0002", ["a", "b"]) is None


def test_of_a_job_that_ended_it_counts_only_if_the_job_keeps_it(jobs):
    jobs.claims.take("job-0001", ["a"])
    jobs.jobs.keep("job-0001", keep=True)
    jobs.jobs.end("job-0001", JobState.SUCCEEDED, 0, "")
    assert jobs.claims.take("job-0002", ["a"]) == "job-0001"
    jobs.jobs.keep("job-0001", keep=False)
    assert jobs.claims.holder(["a"]) is None
    assert jobs.claims.take("job-0002", ["a"]) is None
    assert jobs.claims.all() == {"a": "job-0002"}


def test_it_goes_with_its_job(jobs):
    jobs.claims.take("job-0001", ["a"])
    jobs.jobs.remove("job-0001")
    assert jobs.claims.of_job("job-0001") == frozenset()


@pytest.mark.slow
def test_of_racing_processes_exactly_one_gets_it(jobs):
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, f"job-000{number}", "x", f"own-{number}", "y"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in (1, 2, 3)
    ]
    for racer in racers:
        assert racer.stdout.readline() == "ready\n"
    said = [racer.communicate("go\n", timeout=60)[0] for racer in racers]
    assert sorted(said) == ["False\n", "False\n", "True\n"]
    winner = said.index("True\n") + 1
    assert jobs.claims.all() == dict.fromkeys(["x", f"own-{winner}", "y"], f"job-000{winner}")
