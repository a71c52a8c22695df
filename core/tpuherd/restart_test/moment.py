"""When a workload is killed: after a time, at a step, or at a line of its log."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tpuherd.durations import parse_duration
from tpuherd.errors import ConfigError

OPTION = "--kill-at"
STEP = re.compile(r"(?<![a-z])step\W{0,3}(\d+)", re.IGNORECASE)
"""How logs tell a step: `step 20`, `step=20`, `global_step: 20`, `[Step 20/100]`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One of the three is set."""

    text: str
    """As the user wrote it."""
    after_s: float | None = None
    """Seconds since the workload was started."""
    step: int | None = None
    """The first line with this step or a later one."""
    pattern: re.Pattern[str] | None = None
    """The first line in which this is found."""

    def is_seen_in(self, line: str) -> bool:
        """True if a line of the log says that it is time."""
        if self.pattern is not None:
            return self.pattern.search(line) is not None
        return self.step is not None and any(int(step) >= self.step for step in STEP.findall(line))


def parse_moment(text: str) -> Moment:
    """Read `30s`, `step=20` or `log=REGEX`.

    Raises:
        ConfigError: it is none of them.
    """
    kind, equals, value = text.partition("=")
    if not equals:
        return Moment(text=text, after_s=parse_duration(text, OPTION))
    if kind == "step" and value.isdecimal():
        return Moment(text=text, step=int(value))
    if kind == "log" and value:
        return Moment(text=text, pattern=compiled(value, OPTION))
    raise ConfigError(f"{OPTION}={text}: expected a time such as 30s, step=20, or log=REGEX")


def compiled(pattern: str, option: str) -> re.Pattern[str]:
    """A regular expression that a user gave.

    Raises:
        ConfigError: it is none.
    """
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"{option}: {pattern!r} is no regular expression: {error}") from None
