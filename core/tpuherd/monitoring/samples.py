"""How far a workload was at which moments."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tpuherd.model.sighting import Progress

WINDOW_S = 600.0
"""A rate is that of the last ten minutes, or of the last two samples if they are further apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What all workers together had reported at a moment."""

    at: float
    """Seconds since the epoch, by the controller's clock."""
    step: int | None = None
    """That of the worker that is furthest behind."""
    total: int | None = None
    checkpoint_step: int | None = None
    """The newest one of any worker."""
    checkpoint_at: float | None = None
    """When that was first reported."""
    counts: dict[str, int] = field(default_factory=dict)
    """What all workers have counted together."""


def sample(reports: Iterable[Progress | None], at: float) -> Sample | None:
    """What the workers' reports say together; `None` while nobody has reported anything."""
    told = [one for one in reports if one is not None]
    steps = [one.step for one in told if one.step is not None]
    totals = [one.total for one in told if one.total is not None]
    saved = newest_checkpoint(told)
    counts: Counter[str] = Counter()
    for one in told:
        counts.update(one.counts)
    if not steps and saved is None and not counts:
        return None
    return Sample(
        at=at,
        step=min(steps, default=None),
        total=max(totals, default=None),
        checkpoint_step=saved and saved[0],
        checkpoint_at=saved and saved[1],
        counts=dict(counts),
    )


def newest_checkpoint(told: Sequence[Progress]) -> tuple[int, float | None] | None:
    """The newest checkpoint of any worker, and when it was first reported; `None` if there is none."""
    saved = [(one.checkpoint_step, one.checkpoint_at) for one in told if one.checkpoint_step is not None]
    newest = max((step for step, _ in saved), default=None)
    if newest is None:
        return None
    return newest, min((at for step, at in saved if step == newest and at is not None), default=None)


def rate_per_s(samples: Sequence[Sample]) -> float | None:
    """Steps per second of late; `None` while there are no two samples that show any.

    Args:
        samples: oldest first, each with another step than the one before it.
    """
    late = _late(_unbroken(samples))
    if len(late) < 2:
        return None
    (began, first), (ended, last) = late[0], late[-1]
    return (last - first) / (ended - began) if ended > began else None


def count_rate_per_s(samples: Sequence[Sample], name: str) -> float | None:
    """How fast a count has grown of late; as `rate_per_s`."""
    return rate_per_s([replace(one, step=one.counts.get(name)) for one in samples])


def eta_s(samples: Sequence[Sample], now: float) -> float | None:
    """Seconds until the last step at the present rate; `None` if the total or the rate is not known.

    Args:
        samples: as for `rate_per_s`.
        now: seconds since the epoch.
    """
    rate = rate_per_s(samples)
    if not rate or samples[-1].total is None or samples[-1].step is None:
        return None
    left_s = (samples[-1].total - samples[-1].step) / rate
    return max(0.0, left_s - (now - samples[-1].at))


def _unbroken(samples: Sequence[Sample]) -> list[tuple[float, int]]:
    """Moments and steps since the steps last went back: a workload that was restored counts anew."""
    known = [(one.at, one.step) for one in samples if one.step is not None]
    breaks = [number for number in range(1, len(known)) if known[number][1] < known[number - 1][1]]
    return known[breaks[-1] if breaks else 0 :]


def _late(points: list[tuple[float, int]]) -> list[tuple[float, int]]:
    recent = [point for point in points if point[0] >= points[-1][0] - WINDOW_S]
    return recent if len(recent) > 1 else points[-2:]
