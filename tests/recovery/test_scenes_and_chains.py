"""What core adds to a diagnosis, and how a job's past is read from the store."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from cases import failure
from scenes import record_of

from tpuherd import (
    ExitKind,
    GiveUp,
    Observation,
    Presence,
    ReplaceSlice,
    SliceObservation,
    Wait,
    WorkerExit,
    WorkloadExit,
)
from tpuherd.engine.chain import chain
from tpuherd.engine.past import past
from tpuherd.engine.scenery import in_scene
from tpuherd.engine.stages import Stage, encode
from tpuherd.model.observation import HostObservation
from tpuherd.model.outcome import EndedBy
from tpuherd.model.sighting import Answer
from tpuherd.recovery.texts import diagnosis_text, recovery_text
from tpuherd.store.store import Store

READY = SliceObservation(node_id="a", presence=Presence.PRESENT, state="READY")
PREEMPTED = replace(READY, state="PREEMPTED")
SILENT = SliceObservation(node_id="a", presence=Presence.UNKNOWN)
GONE = SliceObservation(node_id="a", presence=Presence.ABSENT)
REPAIRING = replace(READY, state="REPAIRING")
DEAD = HostObservation(worker=1, answered=Answer.NO)
WELL = HostObservation(worker=1, answered=Answer.YES)


@pytest.fixture
def store(tmp_path):
    made = Store(f"sqlite:///{tmp_path / 'tpuherd.sqlite'}")
    yield made
    made.engine.dispose()


@pytest.fixture
def record(store, job_factory):
    """A job of the store with the id of the factory's jobs."""
    made = record_of("test-0000")
    store.jobs.add(made)
    return made


def decide(store, diagnosis, recovery, attempt=1, *, done=True):
    texts = {"diagnosis": diagnosis_text(diagnosis), "recovery": recovery_text(recovery)}
    row = store.recoveries.decide("test-0000", attempt, at=diagnosis.scene.at, **texts)
    if done:
        store.recoveries.done(row)


def follow(store, number, diagnosis="{}"):
    names = {"diagnosis": diagnosis, "recovery": "ReplaceSlice"}
    store.attempts.begin_next("test-0000", number, zone=None, resume=True, kept=[], **names)


@pytest.mark.parametrize(
    ("slices", "hosts", "usable"),
    [
        ((READY,), (WELL,), True),
        ((READY, PREEMPTED), (), False),
        ((READY, GONE), (), False),
        ((READY,), (WELL, DEAD), False),
        ((SILENT,), (DEAD,), None),  # it may be us who are cut off
        ((READY, SILENT), (), None),
        ((REPAIRING,), (), None),
        ((), (), None),
    ],
)
def test_whether_slices_can_be_used_still_is_three_valued(store, record, job_factory, slices, hosts, usable):
    seen = Observation(stage="run_workload", error="", slices=slices, hosts=hosts)
    job = job_factory()
    found = in_scene(store, job, seen, failure("unknown"), job_factory.allocation(job))
    assert found.scene.usable is usable


def test_slices_with_a_worker_that_went_silent_are_not_used_again(store, record, job_factory):
    job = job_factory()
    lost = WorkerExit(worker=1, kind=ExitKind.LOST, code=None, ended_at=1.0)
    silent = WorkloadExit(workers=(lost,), ended_by=EndedBy.SILENCE)
    for slices, usable in (((READY,), False), ((SILENT,), None)):
        seen = Observation(stage="run_workload", error="", slices=slices, exit=silent)
        found = in_scene(store, job, seen, failure("host-fault"), job_factory.allocation(job))
        assert found.scene.usable is usable


def test_the_scene_says_where_when_and_how_long(store, record, job_factory):
    job = job_factory()
    allocation = job_factory.allocation(job)
    store.stages.start(job.id, 1, "provision")
    store.stages.finish(job.id, 1, "provision", encode(Stage.PROVISION, allocation))
    store.stages.start(job.id, 1, "run_workload")
    seen = Observation(stage="run_workload", error="it failed")
    found = in_scene(store, job, seen, replace(failure("hung"), blamed_worker=2), allocation)

    assert abs(found.scene.at - time.time()) < 60
    assert (found.scene.stage, found.scene.zone) == ("run_workload", "us-west4-a")
    assert found.scene.host == allocation.workers[2].host_key_name
    assert 0 <= found.scene.ran_s <= found.scene.held_s < 60
    assert (found.failure, found.evidence) == (failure("hung").failure, ("hung was seen",))


def test_an_attempt_that_got_nothing_has_held_nothing(store, record, job_factory):
    job = job_factory()
    store.stages.start(job.id, 1, "provision")
    store.stages.fail(job.id, 1, "provision", "no capacity")
    seen = Observation(stage="provision", error="no capacity")
    scene = in_scene(store, job, seen, failure("stockout"), None).scene
    assert (scene.held_s, scene.ran_s, scene.host, scene.usable) == (None, None, "", None)
    assert scene.zone == "us-west4-a"


def test_only_what_was_carried_out_is_past(store, record):
    decide(store, failure("network"), Wait(reason="", delay_s=1.0))
    decide(store, failure("preempted"), ReplaceSlice(reason=""))
    follow(store, 2)
    decide(store, failure("user-error"), GiveUp(reason=""), attempt=2, done=False)
    found = past(store, "test-0000")
    assert [(one.number, one.recovery) for one in found] == [(1, "Wait"), (1, "ReplaceSlice")]


def test_a_rerun_by_the_user_begins_a_new_past(store, record):
    decide(store, failure("hung"), ReplaceSlice(reason=""))
    follow(store, 2)
    follow(store, 3, diagnosis="")
    assert past(store, "test-0000") == []
    decide(store, failure("network"), ReplaceSlice(reason=""), attempt=3)
    follow(store, 4)
    assert [one.number for one in past(store, "test-0000")] == [3]


def test_the_chain_tells_of_each_attempt_what_it_was_and_cost(store, record, job_factory):
    job = job_factory({"cloud": "google", "tpu": {"accelerator": "v5litepod-16", "zone": "us-west4-a"}})
    allocation = job_factory.allocation(job)
    store.stages.start(job.id, 1, "provision")
    store.stages.finish(job.id, 1, "provision", encode(Stage.PROVISION, allocation))
    decide(store, failure("network"), Wait(reason="", delay_s=1.0))
    decide(store, failure("preempted", step=7), ReplaceSlice(reason="it went"), done=False)
    follow(store, 2, diagnosis_text(failure("preempted", step=7)))

    first, second = chain(store, store.jobs.get(job.id), job.spec)
    assert (first.number, first.state, first.waits, first.zone) == (1, "failed", 1, "us-west4-a")
    assert first.diagnosis == failure("preempted", step=7)
    assert first.recovery == ReplaceSlice(reason="it went")
    assert first.cost_usd == pytest.approx(16 * 1.20 * first.held_s / 3600)
    assert (second.number, second.state, second.resume, second.held_s) == (2, "live", True, 0.0)
    assert (second.diagnosis, second.recovery, second.zone) == (None, None, "")
