"""tpu_manager's rules: name of the rule to what is done at which event (its `RULE_DICT`)."""

from __future__ import annotations

from typing import Literal

from tpuherd import FailureClass

Rule = Literal["pre", "pass", "reapply", "rerun", "resume"]
Action = Literal["pass", "wait", "resume", "clean", "reapply", "move", "rerun"]

RULES: dict[str, dict[str, Action]] = {
    "pre": {"preempted": "reapply", "grpc": "resume", "locked": "pass"},
    "pass": {"preempted": "pass", "grpc": "pass", "locked": "pass"},
    "reapply": {"preempted": "reapply", "grpc": "reapply", "locked": "pass"},
    "rerun": {"preempted": "reapply", "grpc": "rerun", "locked": "pass"},
    "resume": {"preempted": "pass", "grpc": "resume", "locked": "pass"},
}
"""Whatever a rule does not name is `pass`, as there."""

EVENTS: dict[str, tuple[FailureClass, ...]] = {
    "preempted": (FailureClass.PREEMPTED, FailureClass.MAINTENANCE),
    "grpc": (FailureClass.NETWORK,),
    "locked": (FailureClass.DIRTY_DEVICE,),
}
"""Its events, and the classes that they are; slices that were terminated count, which it missed."""


def actions_of(rule: str) -> dict[FailureClass, Action]:
    """What a rule does, by class."""
    return {failure: action for event, action in RULES[rule].items() for failure in EVENTS[event]}
