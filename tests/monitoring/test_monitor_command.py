"""`tpuherd monitor` as a program: piped, as JSON, and on a terminal with keys."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest
from herd import BIN, wait_for

SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|[()].|.)")


def test_piped_it_prints_the_table_once(store, add_job, tpuherd_run, monkeypatch, tmp_path):
    monkeypatch.setenv("TPUHERD_DATABASE", str(store.engine.url))
    add_job(), add_job("over-0001")
    store.jobs.end("over-0001", *_failed())
    done = tpuherd_run("monitor")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.index("job-0001") < done.stdout.index("over-0001")
    assert "waiting" in done.stdout
    assert "over-0001" not in tpuherd_run("monitor", "job-0001", "--once").stdout


def test_json_is_one_object_per_look(store, add_job, monkeypatch):
    monkeypatch.setenv("TPUHERD_DATABASE", str(store.engine.url))
    add_job()
    command = [sys.executable, "-P", "-m", "tpuherd", "monitor", "--json", "--interval", "0.1s"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        first, second = (json.loads(process.stdout.readline()) for _ in range(2))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert first["at"] < second["at"]
    assert [job["job"] for job in second["jobs"]] == ["job-0001"]
    assert second["jobs"][0]["state"] == "live"


def test_json_once_and_jobs_that_are_not_there(store, add_job, tpuherd_run, monkeypatch):
    monkeypatch.setenv("TPUHERD_DATABASE", str(store.engine.url))
    add_job("over-0001")
    store.jobs.end("over-0001", *_failed())
    (line,) = tpuherd_run("monitor", "over-0001", "--json", "--once").stdout.splitlines()
    assert json.loads(line)["jobs"][0]["state"] == "failed"
    assert tpuherd_run("monitor", "nobody").exit_code == 10
    assert tpuherd_run("monitor", "--interval", "soon").exit_code == 3


def _failed():
    from tpuherd.store.records import JobState

    return JobState.FAILED, 8, "worker w0 failed first"


class Terminal:
    """A terminal with a program in it: what it shows, and keys for it."""

    def __init__(self, herd, *words):
        self.shown = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(herd.root)
            variables = herd.environment() | {"TERM": "xterm-256color", "COLUMNS": "170", "LINES": "30"}
            os.execve(BIN / "tpuherd", ["tpuherd", *words], variables)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 170, 0, 0))

    def until(self, pattern, timeout_s=90.0):
        """Wait until something is shown after the last key."""
        assert wait_for(lambda: self._read() or re.search(pattern, self.shown), timeout_s), self.shown[-3000:]

    def press(self, key):
        self._read()
        self.shown = ""
        os.write(self.fd, key.encode())

    def _read(self):
        while select.select([self.fd], [], [], 0)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:  # it has ended
                return
            self.shown += SEQUENCE.sub("", data.decode(errors="replace"))

    def close(self):
        """The exit code; a program that goes on is killed."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            self._read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)
        return None


@pytest.mark.slow
def test_on_a_terminal_a_job_is_watched_followed_resumed_and_cancelled(herd):
    report = 'echo "{\\"step\\": $i, \\"total\\": 9000}" > $TPUHERD_ATTEMPT_DIR/new'
    cmd = f"for i in $(seq 9000); do echo line $i; {report}; mv $TPUHERD_ATTEMPT_DIR/new "
    cmd += "$TPUHERD_ATTEMPT_DIR/progress.json; sleep 0.2; done"
    controller = herd.start("run", herd.job(cmd))
    herd.until_says(controller, "line 3")
    controller.kill()
    controller.wait()

    terminal = Terminal(herd, "monitor", "--interval", "0.3s")
    try:
        terminal.until(r"run_workload .*\(not driven\)")
        terminal.press("r")
        terminal.until("started: tpuherd resume job-")
        terminal.until(r"run_workload \d+[^(]* \d+/9000 \d+%[^(]*/(s|min)")  # driven, with a rate
        terminal.press("r")
        terminal.until("goes on already")
        terminal.press("f")
        terminal.until(r"any key goes back[\s\S]*w0 +│ line \d+[\s\S]*w0 +│ line \d+")
        terminal.press("x")
        terminal.until("c cancel")
        terminal.press("c")
        terminal.until(r"give the slices back\? \[y/N\]")
        terminal.press("n")
        terminal.until("nothing was done")
        assert herd.status()["state"] == "live"
        terminal.press("c")
        terminal.until(r"\[y/N\]")
        terminal.press("y")
        terminal.until(r"cancelled [\d.]+ s ago")
        terminal.press("q")
    finally:
        code = terminal.close()
    assert code == 0
    assert herd.status()["state"] == "cancelled"
