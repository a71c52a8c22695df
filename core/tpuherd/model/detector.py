"""Detectors: rows of the table that says which sign means which class of failure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from tpuherd.model.failure_class import FailureClass


class Where(Enum):
    """Where a sign is looked for; see `tpuherd.observing.facts` for the texts of each place."""

    LOG = "log"
    """A line near the end of a worker's log."""
    ERROR = "error"
    """The text of the error that ended a stage."""
    REFUSAL = "refusal"
    """Why the cloud did not deliver, for example `no capacity`."""
    NODE_STATE = "node.state"
    NODE_HEALTH = "node.health"
    NODE_SYMPTOM = "node.symptom"
    NODE_MAINTENANCE = "node.maintenance"
    QUEUE_STATE = "queue.state"
    """State and initiator of the queued resource, for example `SUSPENDED by SERVICE`."""
    METADATA = "metadata"
    """What a worker's metadata server announced: `preempted`, `maintenance PENDING SCHEDULED`."""
    EXIT = "exit"
    """How the blamed worker ended: `exited 1`, `signalled 9`, `lost`."""
    HOST = "host"
    """What ails a worker: device holders, a full disk, dead mounts, out-of-memory kills."""
    PROGRESS = "progress"
    """That nothing goes on though the processes live."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detector:
    """One row of the table."""

    id: str
    where: Where
    pattern: str
    """A regular expression that is searched for in one line."""
    failure: FailureClass
    action: str = ""
    """What helps, in a few words; policies decide for themselves."""
    source: str = ""
    """How it is known that this sign means that."""
    symptom: bool = False
    """True if the death of another worker, or of the slice, looks like that, too."""
    confidence: float = 0.8
    """From 0 to 1."""

    @property
    def expression(self) -> re.Pattern[str]:
        """The pattern, compiled; `re` keeps the last few hundred."""
        return re.compile(self.pattern)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that was seen, as one line of text that detectors are matched with."""

    where: Where
    text: str
    worker: int | None = None
    node_id: str = ""
    line: int | None = None
    """Number of a log's line, from 1."""
    at: float | None = None
    """Seconds since the epoch, by the controller's clock."""

    @property
    def sentence(self) -> str:
        """The fact with its place, for people."""
        place = f"line {self.line} of w{self.worker}'s log" if self.line else _place(self)
        return f"{place}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A detector that matches a fact."""

    detector: Detector
    fact: Fact


def _place(fact: Fact) -> str:
    who = fact.node_id or (f"w{fact.worker}" if fact.worker is not None else "")
    return f"{fact.where.value} of {who}" if who else fact.where.value
