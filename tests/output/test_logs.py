"""Showing the logs that were kept."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
from functools import partial

import pytest

from tpuherd.engine.log_times import MARK, LogTimes, TimeMarks, times_file
from tpuherd.errors import ConfigError, StateError
from tpuherd.output import log_lines
from tpuherd.output.log_files import show_logs
from tpuherd.output.log_lines import LogView, pattern_of, since_of
from tpuherd.output.reporter import Reporter


@pytest.fixture
def screen():
    return io.StringIO()


@pytest.fixture
def show(screen):
    return partial(log_lines.show_plain, Reporter(screen, screen))


def shown(directory, **view):
    """The lines as (worker, text)."""
    lines = []
    show_logs(directory, LogView(**view), lines.append, None)
    return [(line.worker, line.text) for line in lines]


def keep(directory, worker, lines):
    """Keep lines, each with the time at which it came."""
    log = directory / f"worker-{worker}.log"
    for at, text in lines:
        with times_file(log).open("ab") as file:
            file.write(MARK.pack(log.stat().st_size if log.exists() else 0, at))
        with log.open("a") as file:
            file.write(f"{text}\n")


def test_worker_by_worker_in_the_order_of_their_numbers(tmp_path, screen, show):
    for index in (10, 2, 0):
        (tmp_path / f"worker-{index}.log").write_text(f"first of {index}\nlast of {index}")
    show_logs(tmp_path, LogView(), show, None)
    assert screen.getvalue().splitlines() == [
        f"w{index:<2} │ {which} of {index}" for index in (0, 2, 10) for which in ("first", "last")
    ]


def test_only_some_workers(tmp_path):
    for index in range(4):
        (tmp_path / f"worker-{index}.log").write_text(f"{index}\n")
    assert shown(tmp_path, workers=frozenset({1, 3})) == [(1, "1"), (3, "3")]


def test_without_logs_it_says_so(tmp_path, show):
    with pytest.raises(StateError, match="no logs of worker any"):
        show_logs(tmp_path, LogView(), show, None)
    with pytest.raises(StateError, match="no logs of worker 3"):
        show_logs(tmp_path, LogView(workers=frozenset({3})), show, None)


def test_followed_to_the_end_even_if_it_begins_later(tmp_path, screen, show):
    over = threading.Event()
    follower = threading.Thread(target=show_logs, args=(tmp_path, LogView(), show, over.is_set))
    follower.start()
    log = tmp_path / "worker-0.log"
    for number in range(3):
        with log.open("a") as file:
            file.write(f"line {number}\n")
    with log.open("a") as file:
        file.write("no end")
    over.set()
    follower.join(10)
    assert screen.getvalue().splitlines() == [f"w0  │ line {n}" for n in range(3)] + ["w0  │ no end"]


def test_merged_in_the_order_in_which_they_came(tmp_path):
    keep(tmp_path, 0, [(100, "a"), (300, "c")])
    keep(tmp_path, 1, [(200, "b"), (400, "d")])
    assert shown(tmp_path) == [(0, "a"), (0, "c"), (1, "b"), (1, "d")]
    assert shown(tmp_path, merged=True) == [(0, "a"), (1, "b"), (0, "c"), (1, "d")]


def test_only_what_came_later(tmp_path):
    keep(tmp_path, 0, [(100, "a"), (200, "b"), (300, "c")])
    assert shown(tmp_path, since=200) == [(0, "b"), (0, "c")]
    assert shown(tmp_path, since=301) == []


def test_a_log_without_times_is_shown_whole(tmp_path):
    (tmp_path / "worker-0.log").write_text("a\nb\n")
    assert shown(tmp_path, since=time.time(), merged=True) == [(0, "a"), (0, "b")]


def test_only_lines_with_a_pattern(tmp_path):
    keep(tmp_path, 0, [(100, "step 1"), (200, "loss 3"), (300, "step 12")])
    assert shown(tmp_path, pattern=pattern_of(r"step \d$")) == [(0, "step 1")]


def test_a_time_that_is_just_being_written_is_left_for_later(tmp_path):
    log = tmp_path / "worker-0.log"
    times = LogTimes(log)
    times_file(log).write_bytes(MARK.pack(0, 100.0) + MARK.pack(10, 200.0)[:5])
    assert times.at(12) == 100.0
    times_file(log).write_bytes(MARK.pack(0, 100.0) + MARK.pack(10, 200.0))
    assert (times.at(9), times.at(10)) == (100.0, 200.0)


def test_what_comes_close_together_has_one_time(tmp_path):
    log = tmp_path / "worker-0.log"
    marks = TimeMarks(log)
    for offset in range(50):
        marks.mark(offset)
    assert times_file(log).stat().st_size < 50 * MARK.size
    assert LogTimes(log).at(0) == pytest.approx(time.time(), abs=60)


@pytest.mark.parametrize(("text", "ago"), [("90s", 90), ("2h", 7200)])
def test_since_a_span(text, ago):
    assert since_of(text) == pytest.approx(time.time() - ago, abs=60)


def test_since_a_moment():
    assert since_of("1970-01-02T00:00:00Z") == 86400
    assert since_of("") is None


@pytest.mark.parametrize("text", ["soon", "0s", "10", "2026-12-01", "2026-12-01T08:00:00"])
def test_since_what_is_no_time(text):
    with pytest.raises(ConfigError, match="--since"):
        since_of(text)


def test_a_pattern_that_is_none():
    with pytest.raises(ConfigError, match="--grep"):
        pattern_of("(")


def test_as_json_and_with_times(tmp_path, screen):
    keep(tmp_path, 1, [(100, 'say "hi"')])
    reporter = Reporter(screen, screen)
    show_logs(tmp_path, LogView(), partial(log_lines.show_json, reporter), None)
    assert json.loads(screen.getvalue()) == {"worker": "w1", "text": 'say "hi"', "at": 100}
    show_logs(tmp_path, LogView(), partial(log_lines.show_timed, reporter), None)
    assert time.strftime("%m-%d %H:%M:%S", time.localtime(100)) in screen.getvalue()


@pytest.fixture
def kept(tpuherd_run, tpuherd_home, tmp_path):
    """A finished job whose log is longer than any pipe's buffer."""
    job = tmp_path / "job.yaml"
    job.write_text(
        "cloud: emulator\ntpu: {accelerator: v5litepod-8, zone: us-west4-a}\ncommand: {cmd: seq 30000}\n"
    )
    assert tpuherd_run("run", job).exit_code == 0
    return [sys.executable, "-P", "-m", "tpuherd"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [["logs", "job"], ["logs", "job", "--json"], ["list"], ["status", "job", "--json"]]
)
def test_a_reader_that_has_seen_enough(kept, words):
    reading, writing = os.pipe()
    process = subprocess.Popen([*kept, *words], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    if words[0] == "logs":
        assert os.read(reading, 5)
    os.close(reading)
    _, said = process.communicate(timeout=20)
    assert said == ""
    assert process.returncode in {0, -13, 141}
