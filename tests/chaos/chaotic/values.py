"""What a plan is made of: a job, and the deeds that disturb it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Setting = str | float | int

SUPERVISED_EVERY = 4
"""One of so many seeds has a supervisor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One thing that is done to a job, or to the cloud under it."""

    kind: str
    """A fault of the emulator, or one of `kinds.OURS`."""
    at_step: int
    """Done when the work has come so far; 0: from the beginning."""
    after_s: float
    """So much later, in seconds."""
    lasts_s: float = 0.0
    """Undone after this time; 0: it is not, or it ends by itself."""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """Of a fault: fields of the emulator's `Fault`; of others: see `kinds`."""

    def __str__(self) -> str:
        """For people: when, what, for how long."""
        more = "".join(f" {name}={value}" for name, value in self.settings.items())
        lasts = f", for {self.lasts_s:g} s" if self.lasts_s else ""
        return f"at step {self.at_step} + {self.after_s:g} s: {self.kind}{more}{lasts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The job that is disturbed."""

    mode: str
    """`tpu.allocation_mode`."""
    accelerator: str
    workers: int
    zones: tuple[str, ...]
    policy: str
    steps: int
    step_s: float
    save_every: int
    """Steps between two checkpoints."""
    heeds_term: bool
    """On SIGTERM it saves a checkpoint and ends; else it goes on, and has to be killed."""
    fails_at: int
    """Step at which the work itself is wrong and exits with 3; 0: never."""

    def __str__(self) -> str:
        """For people."""
        fails = f", fails at {self.fails_at}" if self.fails_at else ""
        term = "heeds TERM" if self.heeds_term else "ignores TERM"
        where = " or ".join(self.zones)
        return (
            f"{self.accelerator} ({self.workers} workers) in {where} by {self.mode}, {self.policy}, "
            f"{self.steps} steps of {self.step_s:g} s saved every {self.save_every}, {term}{fails}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that a seed stands for."""

    seed: int
    shape: Shape
    deeds: tuple[Deed, ...]
    """In the order in which they are done."""

    @property
    def name(self) -> str:
        """Of the job."""
        return f"seed-{self.seed}"

    @property
    def supervised(self) -> bool:
        """True if the job is created for a supervisor; else a user runs it."""
        return self.seed % SUPERVISED_EVERY == SUPERVISED_EVERY - 1

    @property
    def kinds(self) -> set[str]:
        """What is done at all."""
        return {deed.kind for deed in self.deeds}

    def __str__(self) -> str:
        """For people: one line for the job, one for each deed."""
        supervised = ", supervised" if self.supervised else ""
        return "\n  ".join([f"seed {self.seed}: {self.shape}{supervised}", *map(str, self.deeds)])
