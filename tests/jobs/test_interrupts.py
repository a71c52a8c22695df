"""Ctrl-C, SIGTERM, a closed terminal, `cancel` and `detach`."""

from __future__ import annotations

import os
import pty
import select
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from herd import BIN, output, wait_for

if TYPE_CHECKING:
    import subprocess

    from herd import Herd

pytestmark = pytest.mark.slow

LONG = 600
STUBBORN = """
trap '' TERM INT
(setsid sh -c 'trap "" TERM; echo child; while :; do sleep 0.1; done' &)
echo ready
while :; do sleep 0.1; done
"""


def start(herd: Herd, *words: object, lines: int = LONG) -> subprocess.Popen[str]:
    controller = herd.start("run", herd.job(herd.counting(lines)), *words)
    herd.until_says(controller, "line 3")
    return controller


def check_cancelled(herd: Herd) -> None:
    """The job has ended as cancelled, and nothing of it or its cloud is left."""
    assert (herd.status()["state"], herd.status()["exit_code"]) == ("cancelled", 130)
    assert not herd.cloud()["running"]
    herd.nothing_left()


def check_goes_on(herd: Herd, lines: int) -> None:
    """The job goes on without us, to a good end."""
    said = herd.ok("logs", "job", "--follow").splitlines()
    assert [line.rpartition("│ ")[2] for line in said] == [f"line {number}" for number in range(1, lines + 1)]
    assert wait_for(lambda: herd.status()["state"] == "succeeded")
    assert herd.starts(0) == 1
    herd.nothing_left()


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGINT, ("--on-interrupt", "cancel")),
        (signal.SIGINT, ()),
        (signal.SIGTERM, ()),
    ],
)
def test_an_interruption_without_a_terminal_cancels(
    herd: Herd, number: signal.Signals, words: tuple[str]
) -> None:
    controller = start(herd, *words)
    controller.send_signal(number)
    assert controller.wait(90) == 130
    check_cancelled(herd)


@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGINT, ("--on-interrupt", "detach")), (signal.SIGHUP, ())],
)
def test_detaching(herd: Herd, number: signal.Signals, words: tuple[str]) -> None:
    controller = start(herd, *words, lines=60)
    controller.send_signal(number)
    assert controller.wait(90) == 12
    assert "--follow" in output(controller)
    check_goes_on(herd, 60)


class Terminal:
    """`tpuherd` as a person sees it: on a terminal of its own."""

    def __init__(self, herd: Herd, *words: object) -> None:
        self.pid, self._descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(herd.root)
            os.execve(BIN / "tpuherd", ["tpuherd", *map(str, words)], herd.environment())
        self._said = b""
        self._open = True
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        try:
            while self._open:
                if select.select([self._descriptor], [], [], 0.05)[0]:
                    self._said += os.read(self._descriptor, 4096)
        except OSError:  # its other side is closed
            return

    def close(self) -> None:
        """Close the window, as a person does."""
        self._open = False
        self._reader.join()
        with suppress(OSError):
            os.close(self._descriptor)

    def until_says(self, text: str) -> None:
        assert wait_for(lambda: text.encode() in self._said), self._said.decode()

    def type(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def end(self) -> int:
        """Wait for the end; returns the exit code."""
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.close()
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self.close()
        raise AssertionError(self._said.decode())


CTRL_C = "\x03"


@pytest.mark.parametrize(("answer", "code"), [("c\n", 130), ("x\nd\n", 12), (CTRL_C, 12)])
def test_a_person_is_asked_once(herd: Herd, answer: str, code: int) -> None:
    terminal = Terminal(herd, "run", herd.job(herd.counting(LONG if code == 130 else 60)))
    terminal.until_says("line 3")
    terminal.type(CTRL_C)
    terminal.until_says("Cancel the job, or detach")
    terminal.type(answer)
    assert terminal.end() == code
    if code == 130:
        check_cancelled(herd)
    else:
        check_goes_on(herd, 60)


def test_a_second_interruption_while_cancelling_detaches_and_the_cancel_goes_on(herd: Herd) -> None:
    controller = herd.start("run", herd.job(STUBBORN), "--on-interrupt", "cancel")
    herd.until_says(controller, "child")
    controller.send_signal(signal.SIGINT)
    herd.until_says(controller, "cancelling")
    controller.send_signal(signal.SIGINT)
    assert controller.wait(90) == 12
    assert wait_for(lambda: herd.status()["state"] != "live")
    check_cancelled(herd)


def test_closing_the_terminal_detaches(herd: Herd) -> None:
    terminal = Terminal(herd, "run", herd.job(herd.counting(60)))
    terminal.until_says("line 3")
    terminal.close()
    assert terminal.end() == 12
    check_goes_on(herd, 60)


def test_cancel_from_another_process_twice(herd: Herd) -> None:
    controller = start(herd)
    cancelling = [herd.start("cancel", "job") for _ in range(2)]
    assert controller.wait(90) == 130
    assert [process.wait(90) for process in cancelling] == [0, 0]
    herd.ok("cancel", "job")
    check_cancelled(herd)


def test_cancel_with_the_controller_dead(herd: Herd) -> None:
    controller = start(herd)
    controller.kill()
    controller.wait()
    assert _workloads(herd)
    herd.ok("cancel", "job")
    check_cancelled(herd)


def test_cancel_of_what_does_not_want_to_end(herd: Herd) -> None:
    herd.ok("cloud.up")
    controller = herd.start("run", herd.job(STUBBORN, timeouts={"grace_s": 1}), "--keep")
    herd.until_says(controller, "child")
    assert len(_workloads(herd)) >= 2
    herd.ok("cancel", "job")
    assert controller.wait(90) == 130
    assert not _workloads(herd)
    assert len(herd.cloud()["nodes"]) == 1
    herd.ok("release", "--job", "job")
    assert herd.cloud()["nodes"] == []


def test_cancel_when_the_workers_cannot_be_reached(herd: Herd) -> None:
    herd.ok("cloud.up")
    controller = start(herd)
    controller.kill()
    controller.wait()
    for pid, command in herd.processes().items():
        if "sshd" in command or "builtin_server" in command:
            os.kill(pid, signal.SIGKILL)
    herd.ok("cancel", "job")
    assert herd.cloud()["nodes"] == []
    herd.ok("cloud.down")
    check_cancelled(herd)


def test_cancel_while_the_slice_is_awaited(herd: Herd) -> None:
    herd.ok("cloud.up", "--create-s", 30)
    controller = herd.start("run", herd.job())
    herd.until_says(controller, "▸ provision")
    wait_for(lambda: herd.cloud()["nodes"])
    herd.ok("cancel", "job")
    assert controller.wait(90) == 130
    assert herd.cloud()["nodes"] == []


def test_a_job_in_the_background(herd: Herd) -> None:
    job = herd.ok("create", herd.job(herd.counting(30))).strip()
    assert herd.status(job)["state"] == "live"
    assert wait_for(lambda: herd.starts(0))
    check_goes_on(herd, 30)


def _workloads(herd: Herd) -> list[int]:
    """The processes of the job's workload, escaped ones too."""
    (directory,) = herd.home.glob("jobs/job-*")
    marker = f"TPUHERD_ATTEMPT_ID={directory.name}.1".encode()
    return [pid for pid in herd.processes() if marker in _environment(pid)]


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
