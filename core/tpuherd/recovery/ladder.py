"""Ladders: for each class of failure the steps that may help, the cheapest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.model.failure import (
    CleanAndRestart,
    GiveUp,
    MoveZone,
    ReplaceSlice,
    RestartInPlace,
    Wait,
)
from tpuherd.recovery.budgets import budget_of, why_exhausted
from tpuherd.recovery.case import NO_CAPACITY, Case, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd.model.failure import FailureClass, Recovery

Ladder = tuple[Step, ...]
"""A step may be there several times: it is then tried as often before the next one."""


def climb(case: Case, ladders: Mapping[FailureClass, Ladder]) -> Recovery:
    """The recovery for a failure: one step further up its ladder each time that it comes again.

    Steps that cannot help are left out: nothing is restarted on slices that are gone or on a worker that was
    to blame twice. When the work came further, the next failure begins at the bottom again.

    Args:
        case: the failure.
        ladders: for each class its steps; a class without a ladder is given up.
    """
    failure = case.diagnosis.failure
    budget = budget_of(case.terms, case.diagnosis)
    if budget is not None and case.repeats >= budget:
        return GiveUp(reason=why_exhausted(failure, budget))
    steps = [step for step in ladders.get(failure, ()) if case.can_help(step)]
    if not steps:
        return GiveUp(reason=f"{failure.value}: there is nothing left that could help")
    if _never_had_any(case) and Step.MOVE not in steps:
        return GiveUp(reason=f"{failure.value}: to wait for capacity, set tpu.wait_for_capacity")
    return carried_out(case, steps[min(case.repeats, len(steps) - 1)])


def carried_out(case: Case, step: Step) -> Recovery:
    """A step as a value, with its pause and its reason.

    Slices of a zone that is avoided are replaced by ones of another, if there is another.
    """
    zone = case.elsewhere
    if step is Step.WAIT:
        return Wait(reason=_reason(case, step), delay_s=case.pause_s(case.repeats + 1))
    pause = case.pause_s(case.repeats)
    if zone and (step is Step.MOVE or (step is Step.REPLACE and case.zone in case.avoided_zones)):
        return MoveZone(reason=_reason(case, Step.MOVE), delay_s=pause, zone=zone)
    if step is Step.RESTART:
        return RestartInPlace(reason=_reason(case, step), delay_s=pause)
    if step is Step.CLEAN:
        return CleanAndRestart(reason=_reason(case, step), delay_s=pause)
    return ReplaceSlice(reason=_reason(case, step), delay_s=pause)


def _never_had_any(case: Case) -> bool:
    """True for a job that has not begun yet, and was not told to wait for capacity."""
    told = case.diagnosis.failure.value in case.terms.budgets or case.job.spec.tpu.wait_for_capacity
    return case.diagnosis.failure in NO_CAPACITY and not case.held_before and not told


def _reason(case: Case, step: Step) -> str:
    times = f", {case.repeats} times before without progress" if case.repeats else ""
    bad = f"; its worker {case.diagnosis.scene.host} was to blame twice" if case.bad_host else ""
    short = f"; {case.zone} gives short-lived slices" if case.zone in case.avoided_zones else ""
    return f"{step.value} after {case.diagnosis.failure.value}{times}{bad}{short}"
