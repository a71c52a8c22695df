"""One TPU of the project as the API shows it: a node, or a queued resource that has no nodes yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from tpuherd.accelerators import Accelerator, resolve
from tpuherd.cloud.labels import JOB, OWNER
from tpuherd.errors import ConfigError

Tier = Literal["ondemand", "spot", "preemptible", "reserved"]
"""How a TPU is paid for, and out of which quota."""

HEALTHY = ("HEALTHY", "HEALTH_UNSPECIFIED")
"""The API leaves health unspecified for nodes that it has not looked at."""
LOST = ("PREEMPTED", "TERMINATED", "SUSPENDED")
"""States in which the VMs are gone, and only deleting and creating again helps."""


class Kind(Enum):
    """What the API calls it."""

    NODE = "node"
    QUEUED_RESOURCE = "queued resource"


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """What the API has noticed about one worker."""

    kind: str
    """For example `OUT_OF_MEMORY`."""
    worker: str
    details: str
    at: float | None
    """Unix time in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tpu:
    """One row of the fleet."""

    kind: Kind
    name: str
    zone: str
    accelerator: str
    """The API's type, for example `v5litepod-16`."""
    slices: int = 1
    """Nodes that a queued resource asks for; 1 for a node."""
    state: str
    health: str = ""
    health_text: str = ""
    symptoms: tuple[Symptom, ...] = ()
    created_at: float | None = None
    """Unix time in seconds."""
    labels: dict[str, str] = field(default_factory=dict)
    tier: Tier = "ondemand"
    workers: int = 0
    """VMs that the API lists; 0 before there are any."""
    incarnation: str = ""
    """Changes when it is created again under the same name."""
    queued_resource: str = ""
    """Id of the queued resource that it came through, or that it is."""
    queue_state: str = ""
    """State of that queued resource, as far as it was read."""

    @property
    def place(self) -> str:
        """`NAME@ZONE`: names are unique only within a zone."""
        return f"{self.name}@{self.zone}"

    @property
    def owner(self) -> str:
        """Who made it with tpuherd; empty if it was made by other means."""
        return self.labels.get(OWNER, "")

    @property
    def job(self) -> str:
        """The job for which it was made; empty if there is none."""
        return self.labels.get(JOB, "")

    @property
    def shape(self) -> Accelerator | None:
        """What the type stands for; `None` for a type that this version does not know."""
        try:
            return resolve(self.accelerator)
        except ConfigError:
            return None

    @property
    def chips(self) -> int:
        """Chips of all slices; 0 if the type is not known."""
        return self.slices * self.shape.chips if self.shape else 0

    @property
    def healthy(self) -> bool:
        """True if the API has nothing to say against it."""
        return self.health in HEALTHY and not self.symptoms

    @property
    def billed(self) -> bool:
        """True if it costs money now: Google charges for nodes that are READY."""
        return self.kind is Kind.NODE and self.state == "READY"

    @property
    def lost(self) -> bool:
        """True if its VMs were taken away."""
        return self.state in LOST
