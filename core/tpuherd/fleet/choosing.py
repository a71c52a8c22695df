"""Which rows of the fleet a user asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.cloud.labels import label_value
from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError
from tpuherd.fleet.patterns import Pattern, fits_any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd.fleet.knowledge import Knowledge
    from tpuherd.fleet.tpu import Tpu

_NODE_STATES = """CREATING READY RESTARTING REIMAGING DELETING REPAIRING STOPPED STOPPING STARTING PREEMPTED
TERMINATED HIDING HIDDEN UNHIDING UNKNOWN"""
_QUEUE_STATES = "ACCEPTED WAITING_FOR_RESOURCES PROVISIONING ACTIVE FAILED SUSPENDING SUSPENDED"
STATES = tuple(f"{_NODE_STATES} {_QUEUE_STATES}".split())
"""States of nodes and of queued resources (API v2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Everything has to fit; what is empty or false fits always."""

    patterns: tuple[Pattern, ...] = ()
    states: tuple[str, ...] = ()
    owner: str = ""
    job: str = ""
    """A job's id, or the start of one."""
    mine: bool = False
    free: bool = False
    healthy: bool = False

    def fits(self, tpu: Tpu, known: Knowledge) -> bool:
        """True if a TPU is one of those."""
        by_name = any(
            fits_any(self.patterns, name, tpu.accelerator) for name in (tpu.name, *known.names_of(tpu))
        )
        return (
            by_name
            and (not self.states or tpu.state in self.states)
            and (not self.owner or tpu.owner == label_value(self.owner))
            and tpu.job.startswith(label_value(self.job))
            and (not self.mine or known.is_mine(tpu))
            and (not self.free or known.is_free(tpu))
            and (not self.healthy or tpu.healthy)
        )


def check_states(words: Iterable[str]) -> tuple[str, ...]:
    """The states that a user named, in any case.

    Raises:
        ConfigError: there is no such state.
    """
    wanted = tuple(word.upper().replace("-", "_") for word in words)
    wrong = next((state for state in wanted if state not in STATES), None)
    if wrong:
        raise ConfigError(f"--state={wrong}: {nearest(wrong, STATES)}")
    return wanted


def names_without_tpu(
    patterns: Iterable[Pattern], tpus: Iterable[Tpu], known: Knowledge
) -> list[tuple[str, str]]:
    """The plain names among patterns that no TPU has, each with what was probably meant."""
    names = sorted({name for tpu in tpus for name in (tpu.name, *known.names_of(tpu))})
    missing = [pattern.word for pattern in patterns if pattern.is_name and pattern.word not in names]
    return [(word, nearest(word, names) if names else "there are none") for word in missing]
