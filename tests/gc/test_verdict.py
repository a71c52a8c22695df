"""What may go: every rule, as a table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tpuherd.cleanup.jobs import JobFacts, Known
from tpuherd.cleanup.verdict import GRACE_S, Fate, is_foreign, judge
from tpuherd.cloud.labels import ATTEMPT, EXPIRES, JOB, OWNER, STORE, moment_label
from tpuherd.fleet.tpu import Kind, Tpu

NOW = 1_800_000_000.0
GOES, STAYS, UNKNOWN = Fate.GOES, Fate.STAYS, Fate.UNKNOWN
HELD = frozenset({"mine"})
LIVE = JobFacts(id="bench-1", attempt=1, state="live", holding=True, held=HELD)
ENDED = JobFacts(id="bench-1", attempt=1, state="succeeded", holding=False, held=HELD)
KEPT = replace(ENDED, keep=True, holding=True)
NODE = Tpu(
    kind=Kind.NODE,
    name="mine",
    zone="us-west4-a",
    accelerator="v5litepod-8",
    state="READY",
    labels={OWNER: "ada", JOB: "bench-1", ATTEMPT: "1", STORE: "ours"},
)


def labelled(**marks: str | None) -> Tpu:
    """The node with other labels; `None` takes one away."""
    names = {"owner": OWNER, "job": JOB, "attempt": ATTEMPT, "store": STORE, "expires": EXPIRES}
    labels = {**NODE.labels, **{names[key]: value for key, value in marks.items()}}
    return replace(NODE, labels={key: value for key, value in labels.items() if value is not None})


def ago(seconds: float) -> str:
    return moment_label(NOW - seconds)


def known(*jobs: JobFacts) -> Known:
    return Known(store_id="ours", owner="ada", jobs={"bench-1": jobs} if jobs else {})


OF_A_JOB = [
    (NODE, LIVE, STAYS, "live"),
    (NODE, replace(LIVE, driver="host:1:1", due="its ttl of 2h is over"), STAYS, "driven"),
    (NODE, replace(LIVE, due="its ttl of 2h is over"), GOES, "its ttl of 2h is over"),
    (NODE, ENDED, GOES, "has succeeded"),
    (NODE, replace(ENDED, state="failed", driver="host:1:1"), STAYS, "driven"),
    (NODE, KEPT, STAYS, "keeps it"),
    (NODE, replace(KEPT, held=None), STAYS, "keeps it"),
    (NODE, replace(KEPT, due="nothing has used it for 30m"), GOES, "nothing has used it"),
    (NODE, replace(KEPT, holding=False), GOES, "has succeeded"),
    (replace(NODE, name="surplus"), KEPT, GOES, "has succeeded"),
    (NODE, replace(LIVE, attempt=2, held=frozenset({"mine-2"})), GOES, "earlier attempt"),
    (NODE, replace(LIVE, attempt=2, held=None), GOES, "earlier attempt"),
    (NODE, replace(LIVE, attempt=2), STAYS, "live"),
    (NODE, replace(LIVE, attempt=2, held=None, driver="host:1:1"), STAYS, "driven"),
    (labelled(attempt="what"), replace(LIVE, attempt=2), STAYS, "live"),
    (replace(NODE, queue_state="SUSPENDED"), KEPT, GOES, "SUSPENDED"),
    (replace(NODE, queue_state="FAILED"), LIVE, STAYS, "live"),
    (replace(NODE, state="DELETING"), ENDED, STAYS, "being deleted"),
    (labelled(expires=ago(60)), LIVE, STAYS, "live"),
    (labelled(store=None), ENDED, GOES, "has succeeded"),
    (labelled(store="theirs"), ENDED, STAYS, "another store"),
]
WITHOUT_A_JOB = [
    (NODE, GOES, "forgotten"),
    (labelled(job=None), STAYS, "without a job"),
    (labelled(job=None, expires=ago(60)), GOES, "expired 60 s ago"),
    (labelled(job=None, expires=ago(-60)), STAYS, "without a job"),
    (labelled(job=None, expires="soon"), STAYS, "without a job"),
    (replace(labelled(job=None), queue_state="FAILED"), GOES, "FAILED"),
    (labelled(store="theirs"), STAYS, "another store"),
    (labelled(store="theirs", expires=ago(GRACE_S - 1)), STAYS, "another store"),
    (labelled(store="theirs", expires=ago(GRACE_S + 1)), GOES, "expired"),
    (labelled(store="theirs", expires="20260230-250000"), STAYS, "another store"),
    (labelled(store=None), STAYS, "do not say"),
    (labelled(store=None, expires=ago(GRACE_S + 1)), GOES, "expired"),
]


@pytest.mark.parametrize(("tpu", "job", "fate", "reason"), OF_A_JOB)
def test_of_a_job_of_this_store(tpu, job, fate, reason):
    verdict = judge(tpu, known(job), frozenset(), NOW)
    assert verdict.fate is fate
    assert reason in verdict.reason


@pytest.mark.parametrize(("tpu", "fate", "reason"), WITHOUT_A_JOB)
def test_without_a_job_of_this_store(tpu, fate, reason):
    verdict = judge(tpu, known(), frozenset(), NOW)
    assert verdict.fate is fate
    assert reason in verdict.reason


@pytest.mark.parametrize("silent", ["us-west4-a", "-"])
@pytest.mark.parametrize("tpu", [tpu for tpu, fate, _ in WITHOUT_A_JOB if fate is GOES])
def test_where_an_answer_is_missing_nothing_goes(tpu, silent):
    assert judge(tpu, known(), frozenset({silent}), NOW).fate is UNKNOWN


def test_a_label_that_two_jobs_may_have_written_says_nothing():
    assert judge(NODE, known(ENDED, ENDED), frozenset(), NOW).fate is UNKNOWN


@pytest.mark.parametrize(
    ("tpu", "foreign"),
    [
        (NODE, False),
        (labelled(owner="eve"), True),
        (labelled(owner="eve", expires=ago(10_000)), True),
        (labelled(owner=None), True),
        (replace(NODE, labels={}, name="ada-bench-1"), True),
    ],
)
def test_whose_it_is_only_labels_say(tpu, foreign):
    assert is_foreign(tpu, known()) is foreign


@pytest.mark.parametrize(
    ("job", "through"), [(KEPT, ""), (replace(KEPT, due="over"), "bench-1"), (ENDED, ""), (None, "")]
)
def test_what_a_job_holds_is_given_back_by_the_job(job, through):
    verdict = judge(NODE, known(*([job] if job else [])), frozenset(), NOW)
    assert verdict.job == through
