"""The usual steps for each class of failures; policies may use them, or others."""

from __future__ import annotations

from tpuherd.model.failure import FailureClass
from tpuherd.recovery.case import Step

IN_TURN = (Step.MOVE, Step.WAIT) * 50
"""Without capacity: to another zone, if there is one, and then a pause."""

USUAL: dict[FailureClass, tuple[Step, ...]] = {
    FailureClass.PREEMPTED: (Step.REPLACE,),
    FailureClass.MAINTENANCE: (Step.RESTART, Step.REPLACE),
    FailureClass.HOST_FAULT: (Step.RESTART, Step.REPLACE, Step.REPLACE, Step.MOVE),
    FailureClass.DIRTY_DEVICE: (Step.CLEAN, Step.REPLACE),
    FailureClass.NETWORK: (
        *(Step.WAIT,) * 3,
        Step.RESTART,
        Step.CLEAN,
        *(Step.REPLACE,) * 2,
        Step.MOVE,
    ),
    FailureClass.HUNG: (Step.RESTART, Step.CLEAN, Step.REPLACE),
    FailureClass.UNKNOWN: (Step.WAIT, Step.RESTART, Step.CLEAN, Step.REPLACE),
    FailureClass.STOCKOUT: IN_TURN,
    FailureClass.QUOTA: IN_TURN,
    FailureClass.HOST_OUT_OF_MEMORY: (Step.WAIT, Step.RESTART, Step.REPLACE),
    FailureClass.DEVICE_OUT_OF_MEMORY: (Step.WAIT, Step.RESTART, Step.REPLACE),
    FailureClass.USER_ERROR: (Step.WAIT, Step.RESTART),
    FailureClass.AUTHORIZATION: (Step.WAIT,),
}
"""Class to steps, the cheapest first. Those after QUOTA need a budget in the job file."""
