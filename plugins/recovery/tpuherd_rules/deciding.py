"""From the table to a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import (
    CleanAndRestart,
    GiveUp,
    MoveZone,
    ReplaceSlice,
    RerunFromScratch,
    RestartInPlace,
    Wait,
)
from tpuherd.recovery.budgets import DEFAULTS, why_exhausted
from tpuherd_rules.config import RulesSection
from tpuherd_rules.table import actions_of

if TYPE_CHECKING:
    from tpuherd import Recovery
    from tpuherd.recovery.case import Case
    from tpuherd_rules.table import Action

TOLD = 3
"""How often an action is taken that the job file names for a class which is not tried again by default."""


def decide(case: Case) -> Recovery:
    """What the table says about a failure."""
    terms = case.job.spec.section(RulesSection)
    failure = case.diagnosis.failure
    rule = _rule(case, terms)
    action = terms.by_class.get(failure) or actions_of(rule).get(failure, "pass")
    why = f"rule {rule}: {action} after {failure.value}"
    if action == "pass" or not terms.monitor:
        return GiveUp(reason=why if terms.monitor else "rules.monitor is false")
    budget = _budget(case)
    if budget is not None and case.repeats >= budget:
        return GiveUp(reason=why_exhausted(failure, budget))
    return _recovery(case, action, why)


def _rule(case: Case, terms: RulesSection) -> str:
    default = "pass" if case.job.spec.tpu.pricing == "ondemand" else "pre"
    return terms.rule or default


def _budget(case: Case) -> int | None:
    """The table says that it is tried, so that a default of none is not what is meant."""
    failure = case.diagnosis.failure
    told = case.terms.budgets.get(failure.value)
    if told is not None:
        return None if told == "unlimited" else int(told)
    default = DEFAULTS.get(failure, 0)
    return None if default is None else default or TOLD


def _recovery(case: Case, action: Action, why: str) -> Recovery:
    """tpu_manager acts at once; pauses come when the same happens again. What is gone is replaced."""
    pause = case.pause_s(case.repeats)
    gone = case.diagnosis.scene.usable is False
    if action == "wait":
        return Wait(reason=why, delay_s=case.pause_s(case.repeats + 1))
    if action == "rerun":
        return RerunFromScratch(reason=why, delay_s=pause)
    if action == "move" and case.elsewhere:
        return MoveZone(reason=why, delay_s=pause, zone=case.elsewhere)
    if action in {"reapply", "move"} or gone:
        return ReplaceSlice(reason=why, delay_s=pause)
    kind = CleanAndRestart if action == "clean" else RestartInPlace
    return kind(reason=why, delay_s=pause)
