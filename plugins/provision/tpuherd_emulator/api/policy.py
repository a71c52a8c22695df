"""The queueing policy of a queued resource: from when and until when it may be served."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Unix times in seconds."""

    after: float = 0.0
    until: float = float("inf")


def window_of(policy: Any, now: float) -> Window:
    """Return when a request may be served.

    Args:
        policy: A `QueueingPolicy`; at most one of its five fields is set.
        now: Unix time of the request.
    """
    plain = policy._pb  # noqa: SLF001 - proto-plus' way to the plain message
    chosen = plain.WhichOneof("start_timing_constraints")
    if chosen is None:
        return Window()
    value = getattr(plain, chosen)
    if chosen == "valid_interval":
        return Window(after=_time(value.start_time), until=_end(value))
    at = now + value.ToNanoseconds() / 1e9 if chosen.endswith("duration") else _time(value)
    return Window(until=at) if chosen.startswith("valid_until") else Window(after=at)


def _time(stamp: Any) -> float:
    return float(stamp.ToNanoseconds() / 1e9)


def _end(interval: Any) -> float:
    return _time(interval.end_time) if interval.HasField("end_time") else float("inf")
