"""The shipped policies as tables: which failure, which decision."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cases import HERE, OTHER, Policy, failure

from tpuherd import (
    CleanAndRestart,
    ConfigError,
    FailureClass,
    GiveUp,
    MoveZone,
    ReplaceSlice,
    RerunFromScratch,
    RestartInPlace,
    Wait,
)

TWO = {"accelerator": "v5litepod-16", "zones": [HERE, OTHER]}
LONG = {"held_s": 1e5, "ran_s": 100.0}


@pytest.fixture
def tiered(job_factory, tpuherd_plugins):
    return lambda **document: Policy(job_factory, tpuherd_plugins, **document)


@pytest.fixture
def rules(job_factory, tpuherd_plugins):
    def made(tpu=None, **section):
        document = {"recovery": {"policy": "rules"}, "rules": section}
        return Policy(job_factory, tpuherd_plugins, **document, **({"tpu": tpu} if tpu else {}))

    return made


@pytest.fixture
def failover(job_factory, tpuherd_plugins):
    def made(tpu=TWO, **section):
        recovery = {"policy": "failover"}
        return Policy(job_factory, tpuherd_plugins, recovery=recovery, failover=section, tpu=tpu)

    return made


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("preempted", ReplaceSlice),
        ("maintenance", RestartInPlace),
        ("host-fault", RestartInPlace),
        ("dirty-device", CleanAndRestart),
        ("network", RestartInPlace),
        ("hung", RestartInPlace),
        ("unknown", RestartInPlace),
        ("host-out-of-memory", GiveUp),
        ("device-out-of-memory", GiveUp),
        ("user-error", GiveUp),
        ("authorization", GiveUp),
    ],
)
def test_tiered_begins_with_the_cheapest_that_can_help(tiered, name, expected):
    decision = tiered().says(failure(name))
    assert type(decision) is expected
    assert getattr(decision, "delay_s", 0.0) == 0.0
    assert name in decision.reason


def test_tiered_is_the_default(job_factory):
    assert job_factory().spec.recovery.policy == "tiered"


def test_tiered_escalates_when_it_did_not_help_and_then_gives_up(tiered):
    policy, hung = tiered(), failure("hung")
    steps = [type(policy.says(hung, *[hung] * times)).__name__ for times in range(5)]
    assert steps == ["RestartInPlace", "CleanAndRestart", "ReplaceSlice", "ReplaceSlice", "GiveUp"]
    pauses = [policy.says(hung, *[hung] * times).delay_s for times in range(4)]
    assert pauses[0] == 0.0 < pauses[1] < pauses[2] < pauses[3]


def test_tiered_begins_at_the_bottom_again_after_an_advance(tiered):
    before = [failure("hung", step=3)] * 4
    assert type(tiered().says(failure("hung", step=3), *before)) is GiveUp
    assert type(tiered().says(failure("hung", step=4), *before)) is RestartInPlace


def test_tiered_restarts_nothing_on_slices_that_are_gone(tiered):
    for name in ("maintenance", "host-fault", "network", "hung", "unknown", "dirty-device"):
        assert type(tiered().says(failure(name, usable=False))) is ReplaceSlice


def test_tiered_replaces_a_worker_that_was_to_blame_twice(tiered):
    bad = failure("unknown", host="tpu.a.1-2")
    decision = tiered().says(bad, replace(bad, failure=FailureClass.HUNG))
    assert type(decision) is ReplaceSlice
    assert "tpu.a.1-2 was to blame twice" in decision.reason


def test_tiered_never_tires_of_preemptions(tiered):
    short = failure("preempted", usable=False)
    assert type(tiered().says(short, *[short] * 500)) is ReplaceSlice


def test_tiered_leaves_a_zone_of_short_lived_slices(tiered):
    short = failure("preempted", usable=False)
    assert tiered(tpu=TWO).says(short) == ReplaceSlice(reason="replace the slices after preempted")
    decision = tiered(tpu=TWO).says(short, short)
    assert (type(decision), decision.zone) == (MoveZone, OTHER)
    assert f"{HERE} gives short-lived slices" in decision.reason
    there = failure("preempted", zone=OTHER, usable=False)
    assert type(tiered(tpu=TWO).says(there, short, short, there)) is ReplaceSlice  # both are bad


def test_tiered_tries_a_stage_again_before_it_touches_the_slices(tiered):
    early = failure("network", stage="prepare_env", ran_s=None)
    first = tiered().says(early)
    assert type(first) is Wait
    assert first.delay_s > 0
    steps = [type(tiered().says(early, *[early] * times)).__name__ for times in range(6)]
    assert steps == ["Wait", "Wait", "Wait", "CleanAndRestart", "ReplaceSlice", "ReplaceSlice"]


def test_tiered_does_not_wait_for_capacity_that_a_new_job_was_not_told_to_wait_for(tiered):
    none = failure("stockout", stage="provision", held_s=None, ran_s=None, usable=None)
    refused = tiered().says(none)
    assert type(refused) is GiveUp
    assert "tpu.wait_for_capacity" in refused.reason
    assert type(tiered().says(none, failure("preempted", usable=False))) is Wait
    assert type(tiered(recovery={"budgets": {"stockout": 3}}).says(none)) is Wait
    waiting = {"accelerator": "v5litepod-16", "zone": HERE, "wait_for_capacity": True}
    assert type(tiered(tpu=waiting).says(none)) is Wait


def test_tiered_goes_on_in_turn_when_the_zone_it_moved_to_has_nothing(tiered):
    policy = tiered(tpu=TWO)
    moved = replace(policy.job, attempt=replace(policy.job.attempt, zone=OTHER))
    none = failure("stockout", stage="provision", zone=OTHER, held_s=None, ran_s=None, usable=None)
    lost = failure("preempted", **LONG, usable=False)
    first = policy.says(none, lost, job=moved)
    assert (type(first), first.zone) == (MoveZone, HERE)
    assert type(policy.says(none, lost, none, job=moved)) is Wait


def test_budgets_allow_what_is_not_tried_by_default(tiered):
    policy = tiered(recovery={"budgets": {"user-error": 1}})
    wrong = failure("user-error")
    assert type(policy.says(wrong)) is RestartInPlace
    assert type(policy.says(wrong, wrong)) is GiveUp


RULES = {
    "pre": (ReplaceSlice, RestartInPlace, GiveUp),
    "pass": (GiveUp, GiveUp, GiveUp),
    "reapply": (ReplaceSlice, ReplaceSlice, GiveUp),
    "rerun": (ReplaceSlice, RerunFromScratch, GiveUp),
    "resume": (GiveUp, RestartInPlace, GiveUp),
}
"""As in tpu_manager: what is done when preempted, at a grpc error, and when locked."""


@pytest.mark.parametrize(("rule", "expected"), RULES.items())
def test_the_five_rules_mean_what_they_meant(rules, rule, expected):
    policy = rules(rule=rule)
    events = (failure("preempted", usable=False), failure("network"), failure("dirty-device"))
    assert tuple(type(policy.says(one)) for one in events) == expected
    assert type(policy.says(failure("unknown"))) is GiveUp


def test_the_rule_follows_from_the_price_as_it_did(rules):
    lost = failure("preempted", usable=False)
    spot = {"accelerator": "v5litepod-16", "zone": HERE, "pricing": "spot"}
    assert type(rules(tpu=spot).says(lost)) is ReplaceSlice
    assert type(rules(tpu=spot | {"pricing": "ondemand"}).says(lost)) is GiveUp


def test_actions_change_lines_of_a_rule_by_class_or_by_event(rules):
    policy = rules(
        rule="pre",
        actions={"grpc": "clean", "locked": "reapply", "user-error": "resume", "hung": "move"},
    )
    assert type(policy.says(failure("network"))) is CleanAndRestart
    assert type(policy.says(failure("dirty-device"))) is ReplaceSlice
    wrong = failure("user-error")
    decisions = [type(policy.says(wrong, *[wrong] * times)) for times in range(4)]
    assert decisions == [RestartInPlace] * 3 + [GiveUp]
    assert type(policy.says(failure("hung"))) is ReplaceSlice  # there is no other zone
    assert type(policy.says(failure("preempted"))) is ReplaceSlice


def test_a_class_that_is_named_wins_over_the_event_that_has_it(rules):
    policy = rules(rule="pass", actions={"maintenance": "resume", "preempted": "reapply"})
    assert type(policy.says(failure("preempted", usable=False))) is ReplaceSlice
    assert type(policy.says(failure("maintenance"))) is RestartInPlace


def test_rules_resume_nothing_on_slices_that_are_gone(rules):
    assert type(rules(rule="resume").says(failure("network", usable=False))) is ReplaceSlice


def test_monitor_false_is_pass(rules):
    decision = rules(rule="pre", monitor=False).says(failure("preempted"))
    assert decision == GiveUp(reason="rules.monitor is false")


def test_unknown_names_in_a_table_are_refused(rules):
    with pytest.raises(ConfigError, match=r"rules\.actions.*'preemted'.*did you mean 'preempted'"):
        rules(actions={"preemted": "resume"})
    with pytest.raises(ConfigError, match=r"rules\.rule"):
        rules(rule="prre")


def test_failover_leaves_the_zone_at_the_first_loss(failover):
    decision = failover().says(failure("preempted", usable=False))
    assert (type(decision), decision.zone) == (MoveZone, OTHER)
    assert type(failover(tpu={"accelerator": "v5litepod-16", "zone": HERE}).says(failure("preempted"))) is (
        ReplaceSlice
    )


def test_failover_may_be_patient_and_has_zones_of_its_own(failover):
    third = "us-east5-b"
    policy = failover(zones=[HERE, third], after=2)
    lost = failure("preempted", **LONG, usable=False)
    assert type(policy.says(lost)) is ReplaceSlice
    decision = policy.says(lost, lost)
    assert (type(decision), decision.zone) == (MoveZone, third)
    there = failure("preempted", zone=third, **LONG, usable=False)
    assert type(policy.says(there, lost, lost)) is ReplaceSlice


def test_failover_asks_zones_beyond_those_of_the_file_when_these_have_nothing(failover):
    none = failure("stockout", stage="provision", held_s=None, ran_s=None, usable=None)
    decision = failover(zones=[HERE, OTHER, "us-east5-b"]).says(none)
    assert (type(decision), decision.zone) == (MoveZone, "us-east5-b")


def test_failover_meets_everything_else_as_tiered_does(failover):
    assert type(failover().says(failure("unknown"))) is RestartInPlace
    assert type(failover().says(failure("user-error"))) is GiveUp
