"""Time spans as people write them: `90s`, `30m`, `2h`, `7d` on the command line, seconds in variables."""

from __future__ import annotations

import os
import re

from tpuherd.errors import ConfigError

UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
"""Seconds of each unit."""


def parse_duration(text: str, option: str) -> float:
    """Return the seconds of a time span.

    Args:
        text: a number with a unit, for example `90s` or `1.5h`.
        option: what the span was given for, to be named in the error; for example `--ttl`.

    Raises:
        ConfigError: it is none, or it is zero.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd])", text.strip().lower())
    seconds = float(found[1]) * UNITS_S[found[2]] if found else 0.0
    if not seconds:
        raise ConfigError(f"{option}={text}: expected a time span such as 90s, 30m, 2h or 7d")
    return seconds


def variable_s(name: str, usual_s: float, otherwise: str = "") -> float:
    """Return the seconds that an environment variable says.

    Args:
        name: of the variable.
        usual_s: what it is if the variable is not set, or empty.
        otherwise: what else may be written, to be added to the error.

    Raises:
        ConfigError: the variable is no such number.
    """
    text = os.environ.get(name) or str(usual_s)
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise ConfigError(f"{name}={text}: expected seconds{otherwise}")
    return found


def span(seconds: float) -> str:
    """A time span as `parse_duration` reads it, in the largest unit that is exact: `2h`, `90m`, `45s`."""
    unit = next((name for name in "dhm" if seconds >= UNITS_S[name] and not seconds % UNITS_S[name]), "s")
    return f"{seconds / UNITS_S[unit]:g}{unit}"
