"""Plans are pure, and a hundred of them leave nothing out."""

from __future__ import annotations

from chaotic.kinds import DRAW, FAULTS
from chaotic.planning import plan_of

from tpuherd_emulator.faults.fault import Fault, check
from tpuherd_emulator.faults.kinds import KINDS

HUNDRED = [plan_of(seed) for seed in range(100)]


def test_a_number_is_always_the_same_plan():
    assert [plan_of(seed) for seed in range(100)] == HUNDRED
    assert len({str(plan) for plan in HUNDRED}) == 100


def test_every_fault_of_the_emulator_is_there_and_every_kind_comes_in_a_hundred_seeds():
    assert set(FAULTS) == set(KINDS) - {"heal"}
    assert set().union(*(plan.kinds for plan in HUNDRED)) == set(DRAW)


def test_the_emulator_takes_each_fault():
    faults = [deed for plan in HUNDRED for deed in plan.deeds if deed.kind in FAULTS]
    for deed in faults:
        check(Fault(kind=deed.kind, **deed.settings))
    assert len(faults) > 100


def test_plans_differ_in_all_that_matters():
    shapes = [plan.shape for plan in HUNDRED]
    for name in ("mode", "workers", "policy", "heeds_term", "save_every"):
        assert len({getattr(shape, name) for shape in shapes}) > 1, name
    assert {len(shape.zones) for shape in shapes} == {1, 2}
    assert 3 < sum(bool(shape.fails_at) for shape in shapes) < 25


def test_a_plan_says_what_it_does():
    plan = plan_of(12)
    text = str(plan)
    assert text.startswith("seed 12: ")
    assert all(deed.kind in text for deed in plan.deeds)
