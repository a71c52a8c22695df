"""How often a class of failures may come again before a job is given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.model.failure import FailureClass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tpuherd.config.recovery import RecoverySection
    from tpuherd.model.failure import AttemptRecord, Diagnosis

DEFAULTS: dict[FailureClass, int | None] = {
    FailureClass.PREEMPTED: None,
    FailureClass.MAINTENANCE: None,
    FailureClass.HOST_FAULT: 6,
    FailureClass.DIRTY_DEVICE: 4,
    FailureClass.NETWORK: 8,
    FailureClass.HOST_OUT_OF_MEMORY: 0,
    FailureClass.DEVICE_OUT_OF_MEMORY: 0,
    FailureClass.USER_ERROR: 0,
    FailureClass.STOCKOUT: 100,
    FailureClass.QUOTA: 20,
    FailureClass.AUTHORIZATION: 0,
    FailureClass.HUNG: 4,
    FailureClass.UNKNOWN: 4,
}
"""Failures of a class without progress between them; `None`: no limit, because it is nobody's fault."""


def budget_of(
    recovery: RecoverySection,
    diagnosis: Diagnosis,
    defaults: Mapping[FailureClass, int | None] = DEFAULTS,
) -> int | None:
    """The budget that holds for a failure; `None`: unlimited.

    What the job file says wins. A failure that no plugin recognized is not tried again unless it says so: it
    could be anything, and each try costs money.
    """
    told = recovery.budgets.get(diagnosis.failure.value)
    if told is not None:
        return None if told == "unlimited" else int(told)
    if diagnosis.failure is FailureClass.UNKNOWN and not diagnosis.confidence:
        return 0
    return defaults.get(diagnosis.failure, 0)


def spent(counted: Sequence[AttemptRecord], failure: FailureClass) -> int:
    """How many failures of a class there were among those that count."""
    return sum(record.diagnosis.failure is failure for record in counted)


def why_exhausted(failure: FailureClass, budget: int) -> str:
    """Why a job is given up, and how to be told otherwise."""
    key = f"recovery.budgets.{failure.value}"
    if not budget:
        return f"{failure.value}: trying again does not help against it (allow it with {key})"
    return f"{failure.value}: {budget} recoveries without progress, which is the limit ({key})"
