"""Showing the logs that were kept."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading

import pytest

from tpuherd.errors import StateError
from tpuherd.output.log_files import show_logs
from tpuherd.output.reporter import Reporter


@pytest.fixture
def screen():
    return io.StringIO()


@pytest.fixture
def reporter(screen):
    return Reporter(screen, screen)


def test_worker_by_worker_in_the_order_of_their_numbers(tmp_path, screen, reporter):
    for index in (10, 2, 0):
        (tmp_path / f"worker-{index}.log").write_text(f"first of {index}\nlast of {index}")
    show_logs(tmp_path, "", reporter, None)
    assert screen.getvalue().splitlines() == [
        f"w{index:<2} │ {which} of {index}" for index in (0, 2, 10) for which in ("first", "last")
    ]


def test_only_one_worker(tmp_path, screen, reporter):
    for index in range(2):
        (tmp_path / f"worker-{index}.log").write_text(f"{index}\n")
    show_logs(tmp_path, "1", reporter, None)
    assert screen.getvalue() == "w1  │ 1\n"


def test_without_logs_it_says_so(tmp_path, reporter):
    with pytest.raises(StateError, match="no logs of worker any"):
        show_logs(tmp_path, "", reporter, None)
    with pytest.raises(StateError, match="no logs of worker 3"):
        show_logs(tmp_path, "3", reporter, None)


def test_followed_to_the_end_even_if_it_begins_later(tmp_path, screen, reporter):
    over = threading.Event()
    follower = threading.Thread(target=show_logs, args=(tmp_path, "", reporter, over.is_set))
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
