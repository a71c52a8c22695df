"""`tpuherd rerun` by the warm starter, with whole jobs."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from herd import Herd, output, wait_for
from keeping import kept_job, lines
from test_interrupts import CTRL_C, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Herd]:
    """A kept job that has been run again once: a starter waits for the next time."""
    with kept_job(tmp_path_factory.mktemp("warm"), accelerator="v5litepod-8") as herd:
        herd.variables |= {"XDG_RUNTIME_DIR": "", "TPUHERD_HOLDER_START_S": "60"}
        herd.ok("rerun", "job")
        assert wait_for(lambda: sockets(herd))
        yield herd


@pytest.fixture(autouse=True)
def idle(warm: Herd) -> Iterator[None]:
    """What a test has left behind when it failed does not let the next ones fail, too."""
    yield
    go(warm)
    if warm.status()["driven_by"]:
        warm.run("cancel", "job")


def sockets(herd: Herd) -> list[Path]:
    return list((herd.home / "holder").glob("*.warm"))


def children(herd: Herd) -> list[int]:
    """Commands that the starter runs."""
    found = [pid for pid, line in herd.processes().items() if "tpuherd.holder.warm" in line]
    return [pid for pid in found if parent(pid) in found]


def on_and_off(herd: Herd) -> tuple[str, ...]:
    """Work that ends after `go`."""
    wait = f"until test -e {herd.shared}/go; do sleep 0.1; done"
    return ("--", "sh", "-c", f"rm -f {herd.shared}/go; echo on; {wait}; echo off")


def go(herd: Herd) -> None:
    (herd.shared / "go").touch()


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_it_is_the_starters_child_that_runs_it(warm: Herd) -> None:
    process = warm.start("rerun", "job", *on_and_off(warm))
    warm.until_says(process, "│ on")
    (child,) = children(warm)
    assert "driven by another controller" in warm.ends_with(10, "rerun", "job").stderr
    go(warm)
    assert process.wait(90) == 0
    assert output(process).count("│ off") == 1
    assert not Path(f"/proc/{child}").exists()
    assert warm.ends_with(8, "rerun", "job", "--", "sh", "-c", "exit 3").stdout == ""
    assert lines(warm.ok("rerun", "job", "--", "echo", "two  words"))[0] == "two  words"
    assert "waits to start the next `tpuherd rerun`" in warm.ends_with(0, "connections").stderr


@pytest.mark.parametrize(("answer", "code"), [("c\n", 130), ("x\nd\n", 12), (CTRL_C, 12)])
def test_a_person_is_asked(warm: Herd, answer: str, code: int) -> None:
    terminal = Terminal(warm, "rerun", "job", *on_and_off(warm))
    terminal.until_says("on\r\n")
    terminal.until_says("\x1b[")  # colors
    assert children(warm)
    terminal.type(CTRL_C)
    terminal.until_says("Cancel the job, or detach")
    terminal.type(answer)
    assert terminal.end() == code
    go(warm)
    check_ends(warm, "cancelled" if code == 130 else "succeeded")


def test_a_closed_terminal_and_a_killed_caller_leave_it_to_go_on(warm: Herd) -> None:
    terminal = Terminal(warm, "rerun", "job", *on_and_off(warm))
    terminal.until_says("on\r\n")
    terminal.close()
    assert terminal.end() == 12
    go(warm)
    check_ends(warm, "succeeded")
    process = warm.start("rerun", "job", *on_and_off(warm))
    warm.until_says(process, "│ on")
    assert children(warm)
    process.send_signal(signal.SIGKILL)
    process.wait(30)
    assert wait_for(lambda: not children(warm))
    go(warm)
    assert "off" in warm.ok("logs", "job", "--follow")
    check_ends(warm, "succeeded")


def test_an_interruption_without_a_terminal_cancels_it(warm: Herd) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        process = warm.start("rerun", "job", "--", "sh", "-c", "echo on; sleep 623")
        warm.until_says(process, "│ on")
        assert children(warm)
        process.send_signal(number)
        assert process.wait(90) == 130
        check_ends(warm, "cancelled")
        assert not [line for line in warm.processes().values() if "sleep 623" in line]


def test_without_a_starter_it_is_the_same(warm: Herd) -> None:
    """The last one of this module: there is none afterwards."""
    warm.ok("connections.close")
    assert wait_for(lambda: not sockets(warm))
    warm.variables["TPUHERD_HOLDER_IDLE_S"] = "0"
    assert lines(warm.ok("rerun", "job", "--", "echo", "direct"))[0] == "direct"
    assert not sockets(warm)


def check_ends(herd: Herd, state: str) -> None:
    """The attempt has ended like this, and the slices are kept."""
    assert wait_for(lambda: herd.status()["state"] == state), herd.status()
    assert herd.status()["holds"] == "slices"
