"""A worker that was to blame twice is not used again by the job, where machines can be chosen."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "inventory"))  # `machines` lives there

import pytest
from cases import failure
from clouded import cloud
from machines import Machines

from tpuherd import ProvisionError, ReplaceSlice
from tpuherd.engine.attempts import current_attempt
from tpuherd.recovery.texts import diagnosis_text, recovery_text
from tpuherd.store.store import open_store

__all__ = ["cloud"]

pytestmark = pytest.mark.slow


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("TPUHERD_DATABASE", f"sqlite:///{tmp_path / 'team.sqlite'}")
    made = open_store()
    yield made
    made.engine.dispose()


@pytest.fixture
def machines(cloud, store):
    made = Machines(cloud, store)
    yield made
    made.close()


def lost(store, job, host):
    """The job's newest attempt failed on a host, and another one begins."""
    number = current_attempt(store, job.id).number
    texts = {
        "diagnosis": diagnosis_text(failure("host-fault", host=host)),
        "recovery": recovery_text(ReplaceSlice(reason="bad")),
    }
    store.recoveries.decide(job.id, number, at=1.0, **texts)
    names = {"diagnosis": texts["diagnosis"], "recovery": "ReplaceSlice"}
    store.attempts.begin_next(job.id, number + 1, zone=None, resume=True, kept=[], **names)
    return replace(job, attempt=current_attempt(store, job.id))


def test_a_machine_that_failed_twice_is_left_alone(machines, store):
    machines.make("first")
    machines.make("second")
    job = machines.job("bad-0001", {"match": ["v5e-8"]})
    held = machines.provision(job)
    bad = held.workers[0]

    store.claims.give_back(job.id)
    again = lost(store, job, bad.host_key_name)
    assert again.attempt.quarantined == frozenset()
    assert machines.provision(again).workers[0].node_id == bad.node_id

    store.claims.give_back(job.id)
    third = lost(store, again, bad.host_key_name)
    assert third.attempt.number == 3
    assert third.attempt.quarantined == {bad.host_key_name}
    (worker,) = machines.provision(third).workers
    assert {bad.node_id, worker.node_id} == {"first", "second"}

    store.claims.give_back(job.id)
    worse = replace(
        third,
        attempt=replace(third.attempt, quarantined=frozenset({bad.host_key_name, worker.host_key_name})),
    )
    with pytest.raises(ProvisionError, match="w0 was to blame for two failures of this job"):
        machines.provision(worse)
