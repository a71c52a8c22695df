"""How one operation on a node goes: from the state that it begins with to the one that it leads to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_emulator.api.node import Node
    from tpuherd_emulator.faults.fault import Subject
    from tpuherd_emulator.faults.injector import Injector


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What goes wrong with one operation."""

    delay_s: float = 0.0
    """It takes so much longer."""
    lost: bool = False
    """It is never done, though what was asked for happens."""
    stuck: bool = False
    """What was asked for does not happen until the node is healed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """One operation on its way."""

    node: Node
    operation: Any
    way: str
    """The node's state meanwhile; another one means that something has overtaken the operation."""
    goal: str
    """The node's state at the end; empty: the node is gone then."""
    trouble: Trouble
    then: Callable[[], None]
    """Called at the end, however it ends."""

    def freed(self) -> Course:
        """The same, no longer stuck."""
        return replace(self, trouble=replace(self.trouble, stuck=False))


def trouble_of(injector: Injector, subject: Subject) -> Trouble:
    """Ask what goes wrong with an operation that begins."""
    slow = injector.take(subject, "slow-operation")
    return Trouble(
        delay_s=slow.delay_s if slow else 0.0,
        lost=injector.take(subject, "lost-operation") is not None,
        stuck=injector.take(subject, "stuck") is not None,
    )
