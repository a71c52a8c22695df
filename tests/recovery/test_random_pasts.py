"""Whatever happened before: what a shipped policy must never decide."""

from __future__ import annotations

import random

import pytest
from cases import HERE, HOUR, NOW, OTHER, failure, past

from tpuherd import CleanAndRestart, FailureClass, GiveUp, MoveZone, Recovery, RestartInPlace, Wait
from tpuherd.hooks import Hooks
from tpuherd.recovery.quarantine import quarantined
from tpuherd.recovery.texts import recovery_of, recovery_text
from tpuherd.recovery.zones import avoided

ZONES = (HERE, OTHER, "us-east5-b")
SEEDS = range(300)


def some_failure(chance):
    """Of any class, at any stage, anywhere."""
    stage = chance.choice(["provision", "prepare_env", "sync_code", "run_workload", "run_workload"])
    got = stage != "provision"
    return failure(
        chance.choice(list(FailureClass)).value,
        confidence=chance.choice([0.0, 0.5, 0.9]),
        step=chance.choice([None, chance.randrange(5)]),
        stage=stage,
        zone=chance.choice(ZONES),
        host=chance.choice(["", "tpu.a.1-0", "tpu.a.1-1"]) if got else "",
        held_s=chance.choice([10.0, 10 * HOUR]) if got else None,
        ran_s=chance.choice([5.0, 2 * HOUR]) if stage == "run_workload" else None,
        usable=chance.choice([True, False, None]) if got else None,
        at=NOW,
    )


@pytest.mark.parametrize("policy", ["tiered", "failover", "rules"])
def test_decisions_are_sound_for_any_past(job_factory, tpuherd_plugins, policy):
    tpu = {"accelerator": "v5litepod-16", "zones": list(ZONES), "pricing": "spot"}
    job = job_factory({"tpu": tpu, "recovery": {"policy": policy}})
    hooks = Hooks(tpuherd_plugins, job.spec)
    taken = set()
    for seed in SEEDS:
        chance = random.Random(seed)
        before = past(*(some_failure(chance) for _ in range(chance.randrange(8))))
        now = some_failure(chance)
        decision = hooks.recover(job=job, diagnosis=now, history=before)
        assert isinstance(decision, Recovery), seed
        assert decision == hooks.recover(job=job, diagnosis=now, history=before), seed  # it is pure
        assert recovery_of(recovery_text(decision)) == decision, seed
        check(job, now, [record.diagnosis for record in before], decision, seed, policy)
        taken.add(type(decision))
    assert {GiveUp, RestartInPlace, Wait if policy != "rules" else GiveUp} <= taken


def check(job, now, before, decision, seed, policy):
    everything = [*before, now]
    if isinstance(decision, RestartInPlace | CleanAndRestart):
        assert now.scene.usable is not False, seed
        assert policy == "rules" or now.scene.host not in quarantined(everything), seed
    if isinstance(decision, MoveZone):
        assert decision.zone in ZONES, seed
        assert decision.zone != now.scene.zone, seed
        assert decision.zone not in avoided(job.spec.recovery, everything, NOW), seed
    if now.failure in {FailureClass.USER_ERROR, FailureClass.AUTHORIZATION}:
        assert isinstance(decision, GiveUp), seed
    delay_s = getattr(decision, "delay_s", 0.0)
    assert 0.0 <= delay_s <= job.spec.recovery.backoff.longest_s * 1.25, seed
