"""Every figure of `tpuherd report`, from pasts of jobs."""

from __future__ import annotations

import random

import pytest
from pasts import GOOD, PREEMPTED, attempt, past

from tpuherd.reporting.account import account, total
from tpuherd.reporting.portions import portions
from tpuherd.reporting.segments import segments


def figures(job, since=float("-inf")):
    """Causes (with the failure behind them) to seconds, `productive` among them."""
    found = account(portions(job, since))
    losses = {f"{one.cause} {one.after}".strip(): one.seconds for one in found.losses}
    return {"productive": found.productive_s, **losses}


def test_a_job_that_succeeds_at_once():
    assert figures(past(GOOD)) == {
        "productive": 1000,
        "provisioning": 100,
        "environment": 60,
        "collecting": 10,
        "releasing": 10,
        "waiting": 6,
        "starting": 3,
        "code": 2,
    }


def test_its_shares_and_dollars():
    found = account(portions(past(GOOD)))
    assert (found.total_s, found.held_s) == (1191, 1086)
    assert found.goodput == pytest.approx(1000 / 1191)
    assert found.paid_goodput == pytest.approx(1000 / 1086)
    assert found.cost_usd == pytest.approx(10.86)
    assert found.usd_per_productive_h == pytest.approx(10.86 * 3.6)
    provisioning = next(loss for loss in found.losses if loss.cause == "provisioning")
    assert (provisioning.seconds, provisioning.cost_usd) == (100, 0.0)
    assert next(loss for loss in found.losses if loss.cause == "environment").cost_usd == pytest.approx(0.6)


def preempted(**first):
    return past(PREEMPTED, attempt(failure="preempted", **first), attempt(2, resume=True, succeeded=True))


def test_the_example_of_the_documentation():
    job = preempted(saved_at=910.0, workload_ended_at=1110.0)
    assert figures(job) == {
        "productive": 800 + 500,
        "lost work preempted": 200,
        "provisioning preempted": 300,
        "provisioning": 100,
        "releasing preempted": 10,
        "releasing": 10,
        "starting preempted": 10,
        "starting": 10,
        "waiting preempted": 10,
    }
    found = account(portions(job))
    assert (found.total_s, found.held_s) == (1950, 1544)
    assert found.goodput == pytest.approx(2 / 3)
    assert found.cost_usd == pytest.approx(15.44)
    assert found.usd_per_productive_h == pytest.approx(42.7569, abs=1e-3)


def test_without_a_checkpoint_all_work_of_a_failed_attempt_is_lost():
    assert figures(preempted())["lost work preempted"] == 1000
    assert figures(preempted())["productive"] == 500


def test_a_checkpoint_is_worth_nothing_if_what_follows_does_not_resume():
    first, second = attempt(failure="preempted", saved_at=910.0), attempt(2, succeeded=True)
    assert figures(past(PREEMPTED, first, second))["lost work preempted"] == 1000


def test_a_rerun_by_hand_takes_nothing_from_a_success():
    first, second = attempt(succeeded=True), attempt(2, succeeded=True)
    assert figures(past(PREEMPTED, first, second))["productive"] == 1500
    without = attempt(saved_at=910.0)
    assert figures(past(PREEMPTED, without, second))["lost work rerun"] == 1000


def test_work_that_a_pause_cost_is_named_so():
    first, second = attempt(left="paused"), attempt(2, resume=True, succeeded=True)
    assert figures(past(PREEMPTED, first, second))["lost work paused"] == 1000


def test_earlier_attempts_that_were_built_upon_are_lost_with_the_last_of_them():
    story = PREEMPTED + "\n".join(
        line.replace(" 1 ", " 3 ", 1) for line in _later(GOOD, 5000.0) if "job.ended" not in line
    )
    ones = [
        attempt(failure="preempted", saved_at=910.0),
        attempt(2, resume=True, failure="hung", saved_at=1840.0),
    ]
    found = figures(past(story, *ones, attempt(3, succeeded=True)))
    assert (found["lost work preempted"], found["lost work hung"], found["productive"]) == (1000, 500, 1000)
    found = figures(past(story, *ones, attempt(3, resume=True, succeeded=True)))
    assert (found["lost work preempted"], found["lost work hung"], found["productive"]) == (200, 100, 2200)


def _later(story, seconds):
    for line in story.strip().splitlines():
        at, rest = line.split(None, 1)
        yield f"{float(at) + seconds} {rest}"


def until(story, count):
    return "\n".join(story.strip().splitlines()[:count])


def test_what_runs_now_counts_as_productive_until_it_is_known_to_be_lost():
    running = past(until(GOOD, 8), attempt(), until=1000.0, state="live")
    assert figures(running)["productive"] == 830
    failed = past(until(GOOD, 9), attempt(failure="hung", saved_at=570.0), until=1200.0, state="live")
    assert (figures(failed)["productive"], figures(failed)["lost work hung"]) == (400, 600)


def test_a_cancelled_job_keeps_what_was_saved():
    story = until(GOOD, 8) + "\n1170 1 stage.failed run_workload: cancelled\n1180 1 job.ended cancelled"
    found = figures(past(story, attempt(saved_at=670.0), state="cancelled"))
    assert (found["productive"], found["lost work cancelled"]) == (500, 500)


def test_a_workload_that_ended_while_nobody_looked_was_not_running():
    one = attempt(succeeded=True, workload_ended_at=570.0)
    found = figures(past(GOOD, one))
    assert (found["productive"], found["waiting"]) == (400, 606)


def test_a_controller_that_takes_over_starts_no_workload():
    lines = GOOD.strip().splitlines()
    again = ["600 1 stage.started run_workload", "610 1 workload.started on 4 workers"]
    found = figures(past("\n".join([*lines[:8], *again, *lines[8:]])))
    assert (found["productive"], found["starting"]) == (1000, 3)


def test_a_controller_that_died_before_the_workload_ran_was_still_starting_it():
    lines = GOOD.strip().splitlines()
    again = ["169 1 stage.started run_workload"]
    found = figures(past("\n".join([*lines[:7], *again, *lines[7:]])))
    assert (found["productive"], found["starting"]) == (1000, 3)


KEPT = "\n".join(GOOD.strip().splitlines()[:12]) + "\n1181 1 job.ended succeeded"


def test_slices_that_are_kept_after_the_end_cost_money_and_an_ended_job_without_does_not_count():
    assert figures(past(KEPT, until=3181.0))["kept"] == 2000
    again = KEPT + "\n2181 1 stage.started release\n2191 1 stage.ended release: everything given back"
    found = figures(past(again, until=9999.0))
    assert (found["kept"], found.get("releasing")) == (1010, None)
    assert sum(found.values()) == 2191


def test_a_stockout_and_what_is_done_about_it():
    story = """
        0 1 stage.started provision
        60 1 stage.failed provision: no capacity
        61 1 diagnosis stockout: no capacity
        61 1 recovery Wait: again in 60 s
        121 1 stage.started provision
        181 1 stage.ended provision: 4 workers
        181 1 stage.started run_workload
        182 1 workload.started on 4 workers
        282 1 workload.ended on 4 workers
        282 1 stage.ended run_workload: 4 of 4 workers succeeded
        282 1 job.ended succeeded
        """
    job = past(story, attempt(succeeded=True), until=282.0)
    assert figures(job) == {
        "productive": 100,
        "provisioning": 60,
        "waiting stockout": 61,
        "provisioning stockout": 60,
        "starting stockout": 1,
    }


def test_giving_up_ends_the_recovery():
    story = until(PREEMPTED, 7) + "\n1114 1 recovery GiveUp: enough\n1120 1 job.ended failed"
    found = figures(past(story, attempt(failure="preempted"), until=1114.0, state="failed"))
    assert found["waiting preempted"] == 4
    found = figures(past(story, attempt(failure="preempted"), until=1120.0, state="failed"))
    assert (found["waiting preempted"], found["waiting"]) == (4, 6)


@pytest.mark.parametrize(
    ("since", "productive", "everything"), [(0, 1300, 1950), (1000, 500, 950), (1690, 250, 260), (5000, 0, 0)]
)
def test_only_time_after_a_moment(since, productive, everything):
    found = figures(preempted(saved_at=910.0), since)
    assert (found["productive"], sum(found.values())) == (productive, everything)


def test_nothing_at_all():
    found = account([])
    assert (found.total_s, found.goodput, found.paid_goodput, found.usd_per_productive_h) == (
        0,
        None,
        None,
        None,
    )
    assert found.cost_usd == 0.0
    assert figures(past("", until=0.0)) == {"productive": 0}
    assert figures(past("", until=30.0, state="live")) == {"productive": 0, "waiting": 30}


def test_a_price_that_is_not_known_is_not_guessed():
    job = past(GOOD, attempt(succeeded=True))
    unknown = past(GOOD, type(job.attempts[0])(number=1, succeeded=True))
    both = account([*portions(job), *portions(unknown)])
    assert (both.cost_usd, both.usd_per_productive_h) == (None, None)
    assert next(loss for loss in both.losses if loss.cause == "provisioning").cost_usd == 0.0
    assert total([1.0, None]) is None
    assert total([]) == 0.0


def test_a_clock_that_goes_back_does_not_make_time_count_twice():
    story = GOOD.replace("105 1 stage.started", "60 1 stage.started")
    assert sum(figures(past(story)).values()) == 1191


@pytest.mark.parametrize("seed", range(30))
def test_whatever_happened_the_pieces_make_up_the_whole(seed):
    """Events in any order, cut anywhere: no second is lost or counted twice, none before `since` counts."""
    dice = random.Random(seed)
    lines = [line.split(None, 1)[1] for line in (GOOD + PREEMPTED).strip().splitlines() if line.strip()]
    moments = sorted(dice.uniform(0, 5000) for _ in lines)
    story = "\n".join(
        f"{at} {line}" for at, line in zip(moments, dice.sample(lines, len(lines)), strict=True)
    )
    ones = [
        attempt(
            number,
            resume=dice.random() < 0.5,
            failure=dice.choice(["", "hung"]),
            succeeded=dice.random() < 0.3,
            saved_at=dice.choice([None, dice.uniform(0, 5000)]),
            workload_ended_at=dice.choice([None, dice.uniform(0, 5000)]),
        )
        for number in (1, 2)
    ]
    job = past(story, *ones, until=6000.0, state=dice.choice(["live", "failed"]))
    whole = sum(piece.seconds for piece in segments(job))
    found = account(portions(job))
    assert found.total_s == pytest.approx(whole)
    assert found.total_s == pytest.approx(found.productive_s + sum(one.seconds for one in found.losses))
    assert found.total_s <= 6000.0 + 1e-6
    assert found.held_s <= found.total_s + 1e-6
    early, late = (account(portions(job, since)).total_s for since in (0.0, 2500.0))
    assert late <= early + 1e-6
    assert early == pytest.approx(found.total_s)
