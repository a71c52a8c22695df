"""What is free, what may be changed, what a name means, what it all costs: functions of values."""

from __future__ import annotations

import time

import pytest

from tpuherd.errors import ConfigError, StateError
from tpuherd.fleet.choosing import Choice, check_states, names_without_tpu
from tpuherd.fleet.deleting import targets
from tpuherd.fleet.guarding import require_allowed, require_mine
from tpuherd.fleet.knowledge import Knowledge
from tpuherd.fleet.lookup import find
from tpuherd.fleet.patterns import parse_all
from tpuherd.fleet.power import require_possible
from tpuherd.fleet.pricing import usd_per_hour
from tpuherd.fleet.showing import totals_line
from tpuherd.fleet.totals import usage
from tpuherd.fleet.tpu import Kind, Symptom
from tpuherd.store.aliases import Alias
from tpuherd.store.reservations import Reservation

from .fleet_values import ADA, fleet_of, tpu

SICK = (Symptom(kind="OUT_OF_MEMORY", worker="0", details="", at=None),)
JOBS = Knowledge(user="ada", jobs={"j-live": "live", "j-done": "succeeded"})


def reserved(owner, resource="a@us-west4-a"):
    later = time.time() + 60
    hold = Reservation(resource=resource, owner=owner, reason="", until=later, created_at=0.0)
    return Knowledge(user="ada", holds=(hold,))


@pytest.mark.parametrize(
    ("row", "known", "free"),
    [
        (tpu(), ADA, True),
        (tpu(owner=""), ADA, True),
        (tpu(state="CREATING"), ADA, False),
        (tpu(health="UNHEALTHY_MAINTENANCE"), ADA, False),
        (tpu(symptoms=SICK), ADA, False),
        (tpu(job="j-live"), JOBS, False),
        (tpu(job="j-done"), JOBS, True),
        (tpu(job="j-other"), JOBS, False),
        (tpu(), reserved("bob"), False),
        (tpu(), reserved("ada"), True),
        (tpu(), reserved("bob", "a"), False),
        (tpu(), reserved("bob", "a@us-east1-d"), True),
    ],
)
def test_free(row, known, free):
    assert known.is_free(row) is free
    assert Choice(free=True).fits(row, known) is free


@pytest.mark.parametrize(
    ("choice", "fits"),
    [
        (Choice(), True),
        (Choice(states=("READY",)), True),
        (Choice(states=("CREATING", "STOPPED")), False),
        (Choice(owner="Ada"), True),
        (Choice(owner="bob"), False),
        (Choice(mine=True), True),
        (Choice(job="j-li"), True),
        (Choice(job="k"), False),
        (Choice(patterns=parse_all(["v4", "v5e"])), True),
        (Choice(patterns=parse_all(["v4"])), False),
        (Choice(patterns=parse_all(["short"])), True),
    ],
)
def test_choice(choice, fits):
    alias = Alias(alias="short", resource="a", zone="", owner="bob")
    known = Knowledge(user="ada", jobs={"j-live": "live"}, aliases=(alias,))
    assert choice.fits(tpu(job="j-live"), known) is fits


def test_states_in_any_case_and_wrong_ones_with_the_nearest():
    assert check_states(["ready", "waiting-for-resources"]) == ("READY", "WAITING_FOR_RESOURCES")
    with pytest.raises(ConfigError, match="did you mean 'PREEMPTED'"):
        check_states(["preempt"])


def test_names_that_nothing_has():
    missing = names_without_tpu(parse_all(["ada-1", "adb-1", "v4", "x*"]), [tpu("ada-1")], ADA)
    assert [word for word, _ in missing] == ["adb-1"]
    assert "ada-1" in missing[0][1]


@pytest.mark.parametrize(
    ("row", "known", "force", "insists", "refused"),
    [
        (tpu(), ADA, False, False, ""),
        (tpu(owner="bob"), ADA, False, True, "not yours: a@us-west4-a \\(bob\\)"),
        (tpu(owner="bob"), ADA, True, False, "--force --yes"),
        (tpu(owner=""), ADA, True, False, "made without tpuherd"),
        (tpu(owner="bob"), ADA, True, True, ""),
        (tpu("ada-x", owner=""), ADA, False, True, "not yours"),
        (tpu(job="j-live"), JOBS, False, True, "tpuherd cancel j-live"),
        (tpu(job="j-other"), JOBS, False, True, "does not know"),
        (tpu(job="j-live"), JOBS, True, True, ""),
        (tpu(job="j-done"), JOBS, False, False, ""),
        (tpu(), reserved("bob"), False, True, "reserved by bob"),
        (tpu(), reserved("ada"), False, True, ""),
    ],
)
def test_what_may_be_changed(row, known, force, insists, refused):
    if not refused:
        require_allowed([row], known, force=force, insists=insists)
        return
    with pytest.raises(StateError, match=refused):
        require_allowed([row], known, force=force, insists=insists)


def test_nothing_foreign_is_made_again():
    require_mine([tpu()], ADA)
    with pytest.raises(StateError, match="not yours"):
        require_mine([tpu(), tpu("b", owner="bob")], ADA)


def test_names_mean_one_tpu_or_none():
    alias = Alias(alias="short", resource="c", zone="", owner="ada")
    known = Knowledge(user="ada", aliases=(alias,))
    east, west = tpu("b", "us-east1-c"), tpu("b", "us-west4-a")
    slices = [tpu(f"q-{n}", queued_resource="q") for n in (0, 1)]
    fleet = fleet_of(tpu(), east, west, tpu("c"), *slices, unreachable=("us-east5-a",))
    assert find(fleet, known, "a").name == "a"
    assert find(fleet, known, "b@us-east1-c") is east
    assert find(fleet, known, "b", "us-west4-a") is west
    assert find(fleet, known, "short").name == "c"
    assert find(fleet, known, "q") in slices
    with pytest.raises(StateError, match="b@us-east1-c, b@us-west4-a"):
        find(fleet, known, "b")
    with pytest.raises(StateError, match="did not answer: us-east5-a"):
        find(fleet, known, "x")
    with pytest.raises(ConfigError, match="different zones"):
        find(fleet, known, "a@us-west4-a", "us-east1-c")


def test_a_node_of_a_queued_resource_goes_with_all_of_it():
    slices = [tpu(f"q-{n}", queued_resource="q") for n in (0, 1)]
    elsewhere = tpu("q-9", "us-east1-c", queued_resource="q")
    (target,) = targets(slices[:1], [tpu(), *slices, elsewhere])
    assert (target.kind, target.name, target.rows) == (Kind.QUEUED_RESOURCE, "q", tuple(slices))


@pytest.mark.parametrize(
    ("row", "method", "refused"),
    [
        (tpu(), "stop_node", ""),
        (tpu(state="STOPPED"), "stop_node", ""),
        (tpu(state="STOPPED"), "start_node", ""),
        (tpu(workers=4), "stop_node", "4 workers"),
        (tpu(tier="spot"), "stop_node", "never starts"),
        (tpu(tier="preemptible", state="STOPPED"), "start_node", "never starts"),
        (tpu(state="PREEMPTED"), "start_node", "is PREEMPTED"),
        (tpu(state="CREATING"), "stop_node", "is CREATING"),
        (tpu(kind=Kind.QUEUED_RESOURCE, state="ACCEPTED"), "stop_node", "without nodes"),
    ],
)
def test_what_can_be_stopped_and_started(row, method, refused):
    if not refused:
        require_possible(row, method)
        return
    with pytest.raises(StateError, match=refused):
        require_possible(row, method)


@pytest.mark.parametrize(
    ("row", "price"),
    [
        (tpu(), 8 * 1.20),
        (tpu(tier="spot"), 8 * 0.48),
        (tpu(accelerator="v3-8", zone="us-central1-a"), 4 * 2.00),
        (tpu(slices=2, kind=Kind.QUEUED_RESOURCE), 2 * 8 * 1.20),
        (tpu(tier="reserved"), None),
        (tpu(accelerator="v12-8"), None),
    ],
)
def test_prices(row, price):
    assert usd_per_hour(row) == (None if price is None else pytest.approx(price))


def test_sums_count_what_is_billed():
    rows = [tpu(), tpu("b", state="PREEMPTED"), tpu("c", tier="reserved")]
    assert totals_line(rows) == (
        "3 TPUs, 24 chips (us-west4-a: 24 v5e), 9.60 USD per hour and 1 of unknown price"
    )


def test_usage_by_zone_type_and_tier():
    waiting = tpu("q", kind=Kind.QUEUED_RESOURCE, state="ACCEPTED", slices=2)
    rows = [tpu(), tpu("b", state="PREEMPTED"), tpu("c", tier="spot"), waiting, tpu("d", state="DELETING")]
    found = {(u.tier, u.nodes, u.chips, u.waiting_chips) for u in usage([*rows, tpu("e", "x-y1-a", "v4-8")])}
    assert found == {("ondemand", 2, 16, 16), ("spot", 1, 8, 0), ("ondemand", 1, 4, 0)}
    assert [u.cores for u in usage([tpu(accelerator="v4-8")])] == [8]
