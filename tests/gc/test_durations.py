"""Time spans on the command line."""

from __future__ import annotations

import pytest

from tpuherd.durations import parse_duration, span
from tpuherd.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("30m", 1800),
        ("2h", 7200),
        ("7d", 604_800),
        ("1.5h", 5400),
        (" 2H ", 7200),
        ("2 h", 7200),
    ],
)
def test_a_span(text, seconds):
    assert parse_duration(text, "--ttl") == seconds


@pytest.mark.parametrize("text", ["", "2", "h", "-1h", "0s", "0h", "2w", "1h30m", "two hours", "1e3s", "inf"])
def test_what_is_none_is_refused_with_examples(text):
    with pytest.raises(ConfigError, match=r"--ttl=.*90s, 30m, 2h or 7d"):
        parse_duration(text, "--ttl")


@pytest.mark.parametrize("text", ["90s", "30m", "2h", "7d", "90m", "1s", "0.5s"])
def test_spans_are_shown_as_they_are_written(text):
    assert span(parse_duration(text, "--ttl")) == text
