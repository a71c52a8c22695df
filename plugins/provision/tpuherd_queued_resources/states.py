"""What each state of a queued resource asks of whoever wants its slices."""

from __future__ import annotations

from enum import Enum

from tpuherd.cloud.supply import Phase


class Action(Enum):
    """What to do about a state."""

    WAIT_IN_LINE = "wait for capacity"
    WAIT_FOR_NODES = "wait for its nodes"
    USE = "use its nodes"
    READ_ERROR = "read why it failed, and delete it: it holds quota"
    SAY_WHO = "say who has taken its nodes, and delete it: it holds quota"
    LET_GO = "wait until it is gone"


ACTIONS: dict[str, Action] = {
    "STATE_UNSPECIFIED": Action.WAIT_IN_LINE,
    "CREATING": Action.WAIT_IN_LINE,
    "ACCEPTED": Action.WAIT_IN_LINE,
    "WAITING_FOR_RESOURCES": Action.WAIT_IN_LINE,
    "PROVISIONING": Action.WAIT_FOR_NODES,
    "ACTIVE": Action.USE,
    "FAILED": Action.READ_ERROR,
    "SUSPENDING": Action.SAY_WHO,
    "SUSPENDED": Action.SAY_WHO,
    "DELETING": Action.LET_GO,
}
"""Every state of the API (google-cloud-tpu 1.28, `QueuedResourceState.State`)."""

PHASES = {
    Action.WAIT_IN_LINE: Phase.QUEUE,
    Action.WAIT_FOR_NODES: Phase.ACTIVE,
    Action.USE: Phase.REACHABLE,
}
"""What is waited for in the states from which slices can come."""

KEPT = ("ACTIVE", "PROVISIONING", "WAITING_FOR_RESOURCES", "ACCEPTED", "CREATING", "STATE_UNSPECIFIED")
"""States that are worth keeping, best first, where an interrupted call has asked in several places."""


def action_for(state: str) -> Action:
    """What to do about a state; one that this version does not know is waited for."""
    return ACTIONS.get(state, Action.WAIT_IN_LINE)
