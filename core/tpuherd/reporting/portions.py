"""What each piece of a job's time was good for."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tpuherd.reporting.segments import Activity, segments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.reporting.past import AttemptPast, JobPast
    from tpuherd.reporting.segments import Segment

PRODUCTIVE = "productive"
LOST = "lost work"


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """Some time of a job, and what it was."""

    cause: str
    """`productive`, `lost work`, or the name of an activity."""
    after: str
    """Class of the failure that caused it; empty: none did."""
    seconds: float
    held_s: float
    """Of these, in which slices were held."""
    usd: float | None
    """What they cost; `None`: not known."""


def portions(past: JobPast, since: float = -math.inf) -> list[Portion]:
    """All time of a job after a moment, in order.

    Args:
        past: the job.
        since: seconds since the epoch; what was before does not count.
    """
    limits = _limits(past)
    pieces = [_clipped(piece, since) for whole in segments(past) for piece in _cut(whole, past, limits)]
    return [_portion(piece, past, limits) for piece in pieces if piece.seconds > 0]


def _limits(past: JobPast) -> dict[int, float]:
    """Until when the work of each attempt is productive: number to a moment, `-inf` if it is all lost."""
    found: dict[int, float] = {}
    for line in _lines(past):
        abandoned = line[-1] != past.attempts[-1] and not any(one.succeeded for one in line)
        found |= {one.number: -math.inf if abandoned else _saved_until(one, past) for one in line}
    return found


def _lines(past: JobPast) -> list[list[AttemptPast]]:
    """Attempts that build on one another, together."""
    lines: list[list[AttemptPast]] = []
    for one in past.attempts:
        if one.resume and lines:
            lines[-1].append(one)
        else:
            lines.append([one])
    return lines


def _saved_until(one: AttemptPast, past: JobPast) -> float:
    goes_on = past.state == "live" and one == past.attempts[-1] and not one.failure
    if one.succeeded or (goes_on and one.workload_ended_at is None):
        return math.inf
    return -math.inf if one.saved_at is None else one.saved_at


def _cut(piece: Segment, past: JobPast, limits: dict[int, float]) -> Iterator[Segment]:
    """A workload's time before and after its last checkpoint, and after it had ended and nobody noticed."""
    if piece.activity is not Activity.WORKLOAD:
        yield piece
        return
    one = past.attempt(piece.attempt)
    end = _within(piece, one.workload_ended_at, default=piece.ended)
    saved = min(end, _within(piece, limits.get(piece.attempt), default=piece.ended))
    yield replace(piece, ended=saved)
    yield replace(piece, began=saved, ended=end, after=_why_lost(one, past))
    yield replace(piece, began=end, activity=Activity.WAITING, after=one.failure)


def _within(piece: Segment, at: float | None, default: float) -> float:
    return default if at is None else min(max(at, piece.began), piece.ended)


def _why_lost(one: AttemptPast, past: JobPast) -> str:
    """The class of its failure; else how the job ended, or how a user left it."""
    last = not past.attempts or one.number == past.attempts[-1].number
    return one.failure or (past.state if last else one.left)


def _clipped(piece: Segment, since: float) -> Segment:
    return replace(piece, began=min(max(piece.began, since), max(piece.ended, since)))


def _portion(piece: Segment, past: JobPast, limits: dict[int, float]) -> Portion:
    held_s = piece.seconds if piece.held else 0.0
    price = past.attempt(piece.attempt).usd_per_h
    good = piece.ended <= limits.get(piece.attempt, math.inf)
    work = PRODUCTIVE if good else LOST
    return Portion(
        cause=work if piece.activity is Activity.WORKLOAD else piece.activity.value,
        after="" if good and piece.activity is Activity.WORKLOAD else piece.after,
        seconds=piece.seconds,
        held_s=held_s,
        usd=0.0 if not held_s else None if price is None else price * held_s / 3600,
    )
