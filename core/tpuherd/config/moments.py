"""Durations and times as people write them: `90m`, `6h`, `2026-12-01T08:00:00Z`."""

from __future__ import annotations

import re
from datetime import UTC, datetime

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
"""Seconds of one unit of a duration."""


def is_duration(text: str) -> bool:
    """True if a text looks like a duration rather than like a time."""
    return re.fullmatch(r"[\d.]+\s*[A-Za-z]*", text.strip()) is not None


def duration_s(text: str) -> float:
    """Return the seconds of a duration, for example `30s`, `90m`, `6h` or `1.5d`.

    Raises:
        ValueError: it is no duration, or a duration of nothing; the message says what to write.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd])", text.strip())
    if not match or float(match[1]) == 0:
        raise ValueError(f"{text!r} is no duration: write a number and s, m, h or d, for example 6h")
    return float(match[1]) * UNITS[match[2]]


def moment(text: str) -> datetime:
    """Return a time of RFC 3339, in UTC.

    Raises:
        ValueError: it is none, or says no time zone; the message says what to write.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no time: write for example 2026-12-01T08:00:00Z, or 6h") from error
    if found.tzinfo is None:
        raise ValueError(f"{text!r} says no time zone: write {text}Z for UTC")
    return found.astimezone(UTC)
