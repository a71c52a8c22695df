"""When a restart test kills, and what it takes for restored: pure functions, without a job."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tpuherd.errors import ConfigError
from tpuherd.restart_test.logs import GrowingLogs
from tpuherd.restart_test.moment import parse_moment
from tpuherd.restart_test.verdict import judge

if TYPE_CHECKING:
    from pathlib import Path

RESTORED = re.compile(r"restored step \d+")


@pytest.mark.parametrize(
    "line",
    [
        "step 20",
        "I1121 16:08 loop.py:7] Training step 21",
        "{'global_step': 20, 'loss': 1.5}",
        "[Step 20/100]",
        "step=0020 loss=0.1",
        "step 3 then step 25",
    ],
)
def test_a_step_is_seen_in_many_ways_of_writing_it(line: str) -> None:
    assert parse_moment("step=20").is_seen_in(line)


@pytest.mark.parametrize("line", ["step 19", "timestep 20", "20 steps", "steps: 20", "step", "", "loss 20"])
def test_what_is_no_such_step(line: str) -> None:
    assert not parse_moment("step=20").is_seen_in(line)


def test_a_time_and_a_pattern() -> None:
    assert parse_moment("1.5m").after_s == 90.0
    assert not parse_moment("1.5m").is_seen_in("step 90")
    assert parse_moment("log=loss=0[.]1$").is_seen_in("step 2 loss=0.1")
    assert not parse_moment("log=loss=0[.]1$").is_seen_in("loss=0.11")


@pytest.mark.parametrize("text", ["", "30", "0s", "step=", "step=x", "step=-1", "log=", "log=(", "line=3"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--kill-at"):
        parse_moment(text)


def test_growing_logs_give_each_whole_line_once(tmp_path: Path) -> None:
    logs = GrowingLogs(tmp_path)
    assert list(logs.new_lines()) == []
    (tmp_path / "worker-0.log").write_text("a\nhalf")
    (tmp_path / "worker-11.log").write_bytes(b"\xff\n")
    assert list(logs.new_lines()) == [("w0", "a"), ("w11", "�")]
    (tmp_path / "worker-0.log").write_text("a\nhalf and half\n")
    assert list(logs.new_lines()) == [("w0", "half and half")]
    assert list(logs.new_lines()) == []


@pytest.fixture
def attempts(tmp_path: Path) -> tuple[Path, Path]:
    """Two attempts' folders."""
    folders = tmp_path / "attempt-1", tmp_path / "attempt-2"
    for folder in folders:
        folder.mkdir()
    return folders


def test_a_line_of_the_second_run_proves_it(attempts: tuple[Path, Path]) -> None:
    first, second = attempts
    (first / "worker-0.log").write_text("step 1\n")
    (second / "worker-0.log").write_text("12:00 restored step 1, fine\nrestored step 2\n")
    (second / "worker-1.log").write_text("nothing\n")
    verdict = judge(RESTORED, first, second)
    assert verdict.restored
    assert verdict.text == f"restored: w0: 'restored step 1'; logs: {first} and {second}"


def test_without_one_it_did_not_restore(attempts: tuple[Path, Path]) -> None:
    first, second = attempts
    (first / "worker-0.log").write_text("restored step 7\n")
    (second / "worker-0.log").write_text("from scratch\n")
    verdict = judge(RESTORED, first, second)
    assert not verdict.restored
    assert "no line of the second run matches" in verdict.text


def test_what_the_first_run_said_too_proves_nothing(attempts: tuple[Path, Path]) -> None:
    first, second = attempts
    (first / "worker-0.log").write_text("00:01 restored step 7\n")
    (second / "worker-0.log").write_text("00:09 restored step 7\n")
    verdict = judge(RESTORED, first, second)
    assert not verdict.restored
    assert "both runs say 'restored step 7'" in verdict.text
    (second / "worker-1.log").write_text("00:09 restored step 8\n")
    assert judge(RESTORED, first, second).restored
