"""Lines of kept logs: which of them to show, and how."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.config.moments import is_duration, moment
from tpuherd.durations import parse_duration
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from tpuherd.output.reporter import Reporter


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One line of a worker's log."""

    worker: int
    text: str
    at: float | None
    """When it came here, in Unix seconds; `None` where that was not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogView:
    """Which lines to show."""

    workers: frozenset[int] | None = None
    """Indices; `None`: all."""
    since: float | None = None
    """Only lines that came at this moment, in Unix seconds, or later."""
    pattern: re.Pattern[str] | None = None
    """Only lines in which this is found."""
    merged: bool = False
    """In the order in which the lines came, instead of worker by worker."""

    def shows(self, line: LogLine) -> bool:
        """True if the line is to be shown; one whose time is not known counts as new."""
        early = self.since is not None and line.at is not None and line.at < self.since
        return not early and (self.pattern is None or self.pattern.search(line.text) is not None)


def pattern_of(text: str) -> re.Pattern[str] | None:
    """The pattern of `--grep`; `None` if it was not given.

    Raises:
        ConfigError: it is no regular expression.
    """
    try:
        return re.compile(text) if text else None
    except re.error as error:
        raise ConfigError(f"--grep={text}: no regular expression: {error}") from error


def since_of(text: str) -> float | None:
    """The moment of `--since`, in Unix seconds; `None` if it was not given.

    Raises:
        ConfigError: it is neither a time span nor a time.
    """
    if not text:
        return None
    if is_duration(text):
        return time.time() - parse_duration(text, "--since")
    try:
        return moment(text).timestamp()
    except ValueError as error:
        raise ConfigError(f"--since={text}: {error}") from error


def show_plain(reporter: Reporter, line: LogLine) -> None:
    """Show a line with its worker in front."""
    reporter.worker_line(f"w{line.worker}", line.text)


def show_timed(reporter: Reporter, line: LogLine) -> None:
    """Show a line with its worker and the time in front."""
    at = "?" if line.at is None else time.strftime("%m-%d %H:%M:%S", time.localtime(line.at))
    reporter.worker_line(f"w{line.worker}", f"{at} {line.text}")


def show_json(reporter: Reporter, line: LogLine) -> None:
    """Show a line as a JSON object."""
    reporter.show(json.dumps({"worker": f"w{line.worker}", "text": line.text, "at": line.at}))
