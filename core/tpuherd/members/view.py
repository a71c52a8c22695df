"""What is shown of a fleet."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from tpuherd.monitoring.view import JobView

if TYPE_CHECKING:
    from collections.abc import Sequence

RUNNING = ("run_workload", "collect", "release")
RATED = "tokens"
"""The count whose rate is shown, if a workload has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberView(JobView):
    """One member at one moment."""

    zone: str = ""
    """Where its slices are, or are asked for."""
    heard_at: float | None = None
    """The last sign of life of the worker that is silent for longest, in this attempt."""
    counts: dict[str, int] = field(default_factory=dict)
    """What all its attempts have counted."""
    count_rate_per_s: float | None = None
    """Of the count that is called tokens."""
    recovering: bool = False
    """A recovery is being carried out."""
    error: str = ""
    """What went wrong last, in a line; empty once it has gone well again."""

    @property
    def needs_recovery(self) -> bool:
        """True if it failed and is not back at work, or nobody drives it."""
        return self.state == "failed" or self.recovering or (not self.ended and not self.driver)

    @property
    def healthy(self) -> bool:
        """True if its workload runs, or it has ended well."""
        return self.state == "succeeded" or (not self.needs_recovery and self.stage in RUNNING)

    @property
    def working(self) -> bool:
        """True if somebody drives it and nothing is wrong: it runs, or gets ready."""
        return not self.ended and not self.needs_recovery


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetView:
    """A fleet at one moment; times are seconds since the epoch."""

    fleet: str
    at: float
    members: tuple[MemberView, ...]

    @property
    def counts(self) -> dict[str, int]:
        """What all have counted, in the order in which workloads name it."""
        total: Counter[str] = Counter()
        for member in self.members:
            total.update(member.counts)
        return dict(total)

    @property
    def done(self) -> tuple[int, int] | None:
        """Steps of the shared work that are done, and how many there are; `None`: nobody has said."""
        told = [(one.step, one.total) for one in self.members if one.step is not None and one.total]
        return max(told) if told else None

    @property
    def count_rate_per_s(self) -> float | None:
        """Of the members that work."""
        return _sum([one.count_rate_per_s for one in self.members])

    @property
    def eta_s(self) -> float | None:
        """By the member that sees the work come on fastest; `None`: not known."""
        return min((one.eta_s for one in self.members if one.eta_s is not None), default=None)

    @property
    def cost_usd(self) -> float | None:
        """Of all; `None` if that of one is not known."""
        costs = [one.cost_usd for one in self.members]
        return None if None in costs else _sum(costs)

    @property
    def health(self) -> dict[str, int]:
        """How many members are well."""
        return {
            "healthy": sum(one.healthy for one in self.members),
            "working": sum(one.working for one in self.members),
            "needs_recovery": sum(one.needs_recovery for one in self.members),
        }

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        step, total = self.done or (None, None)
        totals = {
            "step": step,
            "total": total,
            "counts": self.counts,
            "count_rate_per_s": self.count_rate_per_s,
            "eta_s": self.eta_s,
            "cost_usd": self.cost_usd,
        }
        members = [asdict(one) for one in self.members]
        return {"fleet": self.fleet, "at": self.at, **self.health, "totals": totals, "members": members}


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
