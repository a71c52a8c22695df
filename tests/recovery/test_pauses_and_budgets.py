"""The parts of policies: pauses, budgets, progress, quarantine, zones, texts."""

from __future__ import annotations

import pytest
from cases import HERE, HOUR, NOW, OTHER, failure, past

from tpuherd import (
    CleanAndRestart,
    Diagnosis,
    FailureClass,
    GiveUp,
    MoveZone,
    PluginError,
    Recovery,
    ReplaceSlice,
    RerunFromScratch,
    RestartInPlace,
    Wait,
)
from tpuherd.config.recovery import BackoffSection, RecoverySection
from tpuherd.recovery.backoff import pause_s
from tpuherd.recovery.budgets import DEFAULTS, budget_of, why_exhausted
from tpuherd.recovery.progress import since_progress
from tpuherd.recovery.quarantine import quarantined
from tpuherd.recovery.texts import diagnosis_of, diagnosis_text, recovery_of, recovery_text
from tpuherd.recovery.zones import avoided, next_zone

TERMS = RecoverySection()


def test_the_first_failure_is_acted_on_at_once_and_later_ones_after_growing_pauses():
    terms = BackoffSection(first_s=4.0, factor=2.0, longest_s=10.0, jitter=0.0)
    assert [pause_s(terms, repeats, "x") for repeats in range(5)] == [0.0, 4.0, 8.0, 10.0, 10.0]
    assert pause_s(terms, 10_000, "x") == 10.0


def test_jitter_differs_between_jobs_and_is_the_same_for_the_same_job():
    terms = BackoffSection(first_s=100.0, jitter=0.25)
    pauses = [pause_s(terms, 1, f"job-{number}") for number in range(50)]
    assert pauses == [pause_s(terms, 1, f"job-{number}") for number in range(50)]
    assert all(75.0 <= pause <= 125.0 for pause in pauses)
    assert len(set(pauses)) > 40


def test_every_class_has_a_budget():
    assert set(DEFAULTS) == set(FailureClass)


def test_the_job_file_wins_over_the_default_budget():
    told = RecoverySection(budgets={"user-error": 2, "network": "unlimited"})
    assert budget_of(told, failure("user-error")) == 2
    assert budget_of(told, failure("network")) is None
    assert budget_of(TERMS, failure("user-error")) == 0


def test_what_nobody_recognized_is_not_tried_again_unless_told():
    nobody = failure("unknown", confidence=0.0)
    assert budget_of(TERMS, nobody) == 0
    assert budget_of(TERMS, failure("unknown")) == DEFAULTS[FailureClass.UNKNOWN]
    assert budget_of(RecoverySection(budgets={"unknown": 1}), nobody) == 1


def test_an_exhausted_budget_names_its_key():
    assert "recovery.budgets.hung" in why_exhausted(FailureClass.HUNG, 3)
    assert "does not help" in why_exhausted(FailureClass.USER_ERROR, 0)


def counted(now, *before):
    return [one.number for one in since_progress(past(*before), now, HOUR)]


def test_only_failures_since_the_last_checkpoint_count():
    at_5, at_9 = failure("network", step=5), failure("network", step=9)
    assert counted(at_5, at_5, at_5) == [1, 2]
    assert counted(at_9, at_5, at_5) == []
    assert counted(at_9, at_5, at_9, at_9) == [2, 3]
    assert counted(at_5, failure("network")) == []


def test_a_checkpoint_that_went_back_is_no_progress():
    assert counted(failure("network", step=1), failure("network", step=8)) == [1]


def test_without_checkpoints_a_long_run_is_progress():
    short, long = failure("unknown"), failure("unknown", ran_s=2 * HOUR)
    assert counted(short, long, short) == [1, 2]
    assert counted(long, short, short) == []
    assert counted(short, short, long, short) == [2, 3]


def test_a_long_run_without_an_advance_is_none_for_who_tells_of_checkpoints():
    stuck = failure("hung", step=3, ran_s=5 * HOUR)
    assert counted(stuck, stuck) == [1]
    assert counted(failure("hung", ran_s=5 * HOUR), stuck) == [1]


def test_a_worker_is_quarantined_when_it_was_to_blame_twice():
    bad = failure("network", host="tpu.a.1-0")
    assert quarantined([bad]) == frozenset()
    assert quarantined([bad, failure("hung", host="tpu.a.1-0")]) == {"tpu.a.1-0"}
    assert quarantined([bad, failure("network", host="tpu.a.2-0")]) == frozenset()
    assert quarantined([failure("user-error", host="tpu.a.1-0")] * 3) == frozenset()
    assert quarantined([failure("network")] * 3) == frozenset()


def test_a_zone_is_avoided_for_a_while_after_two_short_lived_slices():
    short = failure("preempted", held_s=60.0, at=NOW)
    long_ago = failure("preempted", held_s=60.0, at=NOW - 2 * HOUR)
    assert avoided(TERMS, [short], NOW) == frozenset()
    assert avoided(TERMS, [short, short], NOW) == {HERE}
    assert avoided(TERMS, [short, long_ago], NOW) == frozenset()
    assert avoided(TERMS, [short, failure("preempted", held_s=HOUR)], NOW) == frozenset()
    assert avoided(TERMS, [short, failure("user-error", held_s=1.0)], NOW) == frozenset()
    assert avoided(TERMS, [short, failure("preempted", zone=OTHER, held_s=1.0)], NOW) == frozenset()


def test_the_next_zone_is_the_one_after_this_in_turn():
    zones = ("a", "b", "c")
    assert [next_zone(zones, zone, ()) for zone in (*zones, "elsewhere")] == ["b", "c", "a", "a"]
    assert next_zone(zones, "a", {"b"}) == "c"
    assert next_zone(zones, "a", {"b", "c"}) is None
    assert next_zone(("a",), "a", ()) is None


@pytest.mark.parametrize(
    "recovery",
    [
        Wait(reason="r", delay_s=1.5),
        RestartInPlace(reason="r"),
        CleanAndRestart(reason="r", delay_s=2.0),
        ReplaceSlice(reason="r"),
        MoveZone(reason="r", zone="b"),
        RerunFromScratch(reason="r"),
        GiveUp(reason="r"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_decisions_survive_the_store(recovery):
    assert recovery_of(recovery_text(recovery)) == recovery


def test_a_decision_that_nobody_can_carry_out_is_refused_by_name():
    class Dance(Recovery):
        pass

    with pytest.raises(PluginError, match=r"decided Dance, .* it knows Wait, RestartInPlace"):
        recovery_text(Dance(reason="why not"))


def test_diagnoses_survive_the_store_also_those_of_earlier_versions():
    whole = failure("host-fault", host="tpu.a.1-0", step=7)
    assert diagnosis_of(diagnosis_text(whole)) == whole
    old = '{"failure": "preempted", "evidence": ["it went"], "blamed_worker": null, "confidence": 0.9}'
    assert diagnosis_of(old) == Diagnosis(
        failure=FailureClass.PREEMPTED, evidence=("it went",), confidence=0.9
    )
