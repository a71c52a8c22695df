"""What was measured, and what is made of it: medians, quantiles, and ratios of what ran in the same round."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

OURS = "tpuherd"
DIGITS = 4


class Key(NamedTuple):
    """One series: what was done, by whom, on how many workers, over which connections."""

    work: str
    who: str
    workers: int = 0
    connections: str = ""
    """`warm`: kept from earlier commands; `cold`: opened by the command; empty: it needs none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    wall_s: float
    cpu_s: float | None = None
    """Of the command with all its processes, and of those that keep its connections; not of the workers."""

    def __add__(self, other: Sample) -> Sample:
        """One after the other."""
        cpu_s = None if self.cpu_s is None or other.cpu_s is None else self.cpu_s + other.cpu_s
        return Sample(wall_s=self.wall_s + other.wall_s, cpu_s=cpu_s)


class Samples:
    """All samples by series, in the order of the rounds."""

    def __init__(self) -> None:
        self._all: defaultdict[Key, list[Sample]] = defaultdict(list)

    def add(self, key: Key, sample: Sample) -> None:
        self._all[key].append(sample)

    def rows(self) -> list[dict[str, Any]]:
        """One object for each series."""
        return [
            {
                **key._asdict(),
                "runs": len(found),
                "wall_s": summary([sample.wall_s for sample in found]),
                "cpu_s": summary([sample.cpu_s for sample in found if sample.cpu_s is not None]),
            }
            for key, found in self._all.items()
        ]

    def ratios(self) -> list[dict[str, Any]]:
        """How many times our time each of the others takes for the same work on as many workers."""
        return [
            {
                "work": key.work,
                "workers": key.workers,
                "connections": key.connections,
                "who": other.who,
                "wall": ratio([s.wall_s for s in theirs], [s.wall_s for s in found]),
                "cpu": ratio([s.cpu_s for s in theirs], [s.cpu_s for s in found]),
            }
            for key, found in self._all.items()
            if key.who == OURS
            for other, theirs in self._all.items()
            if _compares(key, other)
        ]


def _compares(ours: Key, other: Key) -> bool:
    same = (ours.work, ours.workers) == (other.work, other.workers)
    return same and other.who != OURS and other.connections in (ours.connections, "")


def summary(values: list[float]) -> dict[str, float] | None:
    """Median, quantiles and extremes; `None` where nothing was measured."""
    if not values:
        return None
    found = {
        "median": statistics.median(values),
        "p10": quantile(values, 0.1),
        "p90": quantile(values, 0.9),
        "min": min(values),
        "max": max(values),
    }
    return {name: round(value, DIGITS) for name, value in found.items()}


def quantile(values: list[float], share: float) -> float:
    """Between the two nearest values, in proportion: the usual quantile, also of a single value."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def ratio(theirs: list[float | None], ours: list[float | None]) -> float | None:
    """The median over the rounds: in one round, a busy machine slows both."""
    pairs = [their / our for their, our in zip(theirs, ours, strict=False) if their is not None and our]
    return round(statistics.median(pairs), 2) if pairs else None
