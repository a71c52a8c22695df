"""What the job file may say about recoveries, and what attempts are told about those before them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tpuherd import Attempt, ConfigError, MoveZone, ReplaceSlice, RerunFromScratch
from tpuherd.engine.attempts import attempt_after, newest_attempt
from tpuherd.engine.variables import own_variables
from tpuherd.store.records import AttemptRow

TERMS = {
    "checkpoint_directory": "gs://bucket/runs/{job}/",
    "resume_args": "--load={checkpoint_directory} --stage={stage} --wandb={wandb_run_id}",
    "wandb": True,
}


def told(factory, attempt, **terms):
    job = replace(factory({"recovery": terms}), attempt=attempt)
    allocation = factory.allocation(job)
    found = own_variables(job, allocation, allocation.workers[0])
    names = ("STAGE", "CHECKPOINT_DIR", "RESUME_ARGS")
    ours = {name: found[f"TPUHERD_{name}"] for name in names if f"TPUHERD_{name}" in found}
    return ours | {name: value for name, value in found.items() if name.startswith("WANDB_")}


def test_the_first_attempt_is_told_where_to_write(job_factory):
    assert told(job_factory, Attempt(number=1), **TERMS) == {
        "STAGE": "1",
        "CHECKPOINT_DIR": "gs://bucket/runs/test-0000/",
        "RESUME_ARGS": "",
        "WANDB_RUN_ID": "test-0000",
        "WANDB_RESUME": "allow",
    }


def test_an_attempt_that_resumes_is_told_what_to_load(job_factory):
    found = told(job_factory, Attempt(number=3, resume=True), **TERMS)
    assert found["RESUME_ARGS"] == "--load=gs://bucket/runs/test-0000/ --stage=3 --wandb=test-0000"
    assert found["WANDB_RUN_ID"] == "test-0000"


def test_an_attempt_from_scratch_is_told_nothing_of_those_before(job_factory):
    found = told(job_factory, Attempt(number=4, resume=False, since=4), **TERMS)
    assert found["RESUME_ARGS"] == ""
    assert found["CHECKPOINT_DIR"] == "gs://bucket/runs/test-0000/from-attempt-4"
    assert found["WANDB_RUN_ID"] == "test-0000-4"
    later = told(job_factory, Attempt(number=5, resume=True, since=4), **TERMS)
    assert "--load=gs://bucket/runs/test-0000/from-attempt-4 --stage=5" in later["RESUME_ARGS"]


def test_without_a_section_only_the_stage_is_told(job_factory):
    assert told(job_factory, Attempt(number=2, resume=True)) == {"STAGE": "2", "RESUME_ARGS": ""}


def test_without_a_section_a_folder_of_the_cloud_that_outlives_slices_is_told(job_factory):
    job = job_factory()
    allocation = job_factory.allocation(job)

    def directory(attempt):
        there = replace(job, attempt=attempt, cloud=replace(job.cloud, shared_directory="/shared"))
        return own_variables(there, allocation, allocation.workers[0])["TPUHERD_CHECKPOINT_DIR"]

    assert directory(Attempt(number=1)) == directory(Attempt(number=2, resume=True))
    assert directory(Attempt(number=1)) == "/shared/checkpoints/test-0000"
    scratch = directory(Attempt(number=3, resume=False, since=3))
    assert scratch == "/shared/checkpoints/test-0000/from-attempt-3"


def test_the_chain_begins_again_with_a_rerun_and_a_zone_stays():
    first = Attempt(number=1)
    moved = attempt_after(first, MoveZone(reason="", zone="us-east5-b"))
    assert moved == Attempt(number=2, zone="us-east5-b", resume=True, since=1)
    assert attempt_after(moved, ReplaceSlice(reason="")) == replace(moved, number=3)
    fresh = attempt_after(moved, RerunFromScratch(reason=""))
    assert fresh == Attempt(number=3, zone="us-east5-b", resume=False, since=3)


def row(number, *, resume, zone=None):
    return AttemptRow(
        job_id="job-1",
        number=number,
        zone=zone,
        resume=resume,
        started_at=float(number),
        ended_at=None,
        diagnosis=None,
        recovery=None,
    )


def test_the_store_remembers_where_the_chain_begins():
    rows = [row(1, resume=False), row(2, resume=True), row(3, resume=False), row(4, resume=True, zone="z")]
    assert newest_attempt(rows[:2]).since == 1
    assert newest_attempt(rows) == Attempt(number=4, zone="z", resume=True, since=3)


@pytest.mark.parametrize(
    ("terms", "problem"),
    [
        ({"budgets": {"preemted": 3}}, "did you mean 'preempted'"),
        ({"budgets": {"hung": -1}}, 'a number, or "unlimited"'),
        ({"budgets": {"hung": "often"}}, 'a number, or "unlimited"'),
        ({"backoff": {"jitter": 1.5}}, "recovery.backoff.jitter"),
        ({"resume_args": "--load={checkpoint}"}, "{checkpoint} is unknown here"),
        ({"resume_args": "--load={job!r}"}, "{job} is unknown here"),
        ({"resume_args": "--load={"}, "is no template"),
        ({"checkpoint_directory": "gs://b/{stage}"}, "{stage} is unknown here"),
        ({"stable_after_s": 0}, "recovery.stable_after_s"),
    ],
)
def test_what_is_wrong_is_refused(job_factory, terms, problem):
    with pytest.raises(ConfigError) as caught:
        job_factory({"recovery": terms})
    assert problem in str(caught.value)
