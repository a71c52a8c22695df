"""`tpuherd tpus --watch`, on a terminal and without one, and questions that a terminal answers."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import time
from contextlib import contextmanager

import pytest
from clouded import clouded, eventually, kill_daemon

from .fleet_home import ZONE, FleetHome

pytestmark = pytest.mark.slow

WAIT_S = 60.0


@contextmanager
def watching(fleet, *words):
    """`tpuherd tpus --watch` in the background; its output so far is in a file."""
    path = fleet.folder / "watched.txt"
    with path.open("w") as out:
        process = subprocess.Popen(
            fleet.argv("tpus", "--watch", "--every", "0.2", *words),
            env=fleet.environment(),
            cwd=fleet.folder,
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
    try:
        yield process, path
    finally:
        process.kill()
        process.wait()


def interrupt(process):
    process.send_signal(signal.SIGINT)
    return process.wait(WAIT_S)


def on_terminal(fleet, *words, answer="", until="", end_with=None):
    """Run a command on a terminal; its exit code and what it showed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(fleet.argv()[0], fleet.argv(*words), fleet.environment() | {"COLUMNS": "160"})
    shown = b""
    deadline = time.monotonic() + WAIT_S
    while until.encode() not in shown:
        assert time.monotonic() < deadline, shown
        shown += os.read(terminal, 65536)
    os.write(terminal, answer.encode())
    if end_with is not None:
        os.kill(pid, end_with)
    try:
        while data := os.read(terminal, 65536):
            shown += data
    except OSError:  # Linux says so when the other side has gone
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()


@pytest.fixture
def alone(tmp_path):
    """A cloud that a test may break."""
    with clouded(tmp_path, workers="none") as cloud:
        yield FleetHome(tmp_path, cloud)


def test_it_goes_on_through_an_api_that_is_away_and_keeps_the_last_table(alone):
    alone.make("steady", owner="ada")
    with watching(alone) as (process, path):
        eventually(lambda: path.read_text().count("steady") > 1, WAIT_S)
        kill_daemon(alone.cloud)
        eventually(lambda: "old, because" in path.read_text(), WAIT_S)
        assert process.poll() is None
        last = path.read_text().rpartition("old, because")[0]
        assert "steady" in last.rpartition("as of")[0].rpartition("1 TPU")[0][-400:]
        assert interrupt(process) == 0
    assert "Traceback" not in path.read_text()


def test_one_object_per_line_for_scripts(fleet):
    fleet.make("seen", owner="ada")
    with watching(fleet, "seen", "--json") as (process, path):
        eventually(lambda: path.read_text().count("\n") > 1, WAIT_S)
        assert interrupt(process) == 0
    first = json.loads(path.read_text().splitlines()[0])
    assert [row["name"] for row in first["tpus"]] == ["seen"]
    assert first["error"] == ""


def test_on_a_terminal_it_redraws_and_ends_with_ctrl_c(fleet):
    fleet.make("drawn", owner="ada")
    words = ("tpus", "drawn", "--watch", "--every", "0.2")
    code, shown = on_terminal(fleet, *words, until="as of", end_with=signal.SIGINT)
    assert code == 0, shown
    assert "drawn" in shown
    assert "Traceback" not in shown


def test_a_terminal_is_asked_and_no_means_no(fleet):
    fleet.make("asked", owner="ada")
    code, shown = on_terminal(fleet, "tpus.delete", "asked", until="[y/N] ", answer="n\n")
    assert (code, "nothing was done" in shown) == (130, True), shown
    assert "asked" in fleet.states()
    code, shown = on_terminal(fleet, "tpus.delete", f"asked@{ZONE}", until="[y/N] ", answer="y\n")
    assert code == 0, shown
    assert "asked" not in fleet.states()
