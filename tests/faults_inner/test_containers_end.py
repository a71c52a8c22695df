"""A job in a container ends with its container, whoever or whatever ends it."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from containers import needs_podman
from herd import output, wait_for

if TYPE_CHECKING:
    from containers import Podman
    from herd import Herd

pytestmark = [needs_podman, pytest.mark.slow]

STUBBORN = 'trap "" TERM INT HUP; [ -e /usr/bin/apt-get ] || echo up inside; sleep 1713'
"""It has to be killed."""


@pytest.fixture(scope="module")
def kept(podman_herd: Herd, docker: dict[str, object]) -> Herd:
    """A job that has succeeded in its container, and kept its slices."""
    give_up = {"policy": "give_up"}  # or an attempt that fails here would be followed by another one
    sections = {"job": {"env_type": "docker"}, "docker": docker, "recovery": give_up}
    file = podman_herd.job("echo done", **sections)
    podman_herd.ok("run", file, "--keep", timeout_s=200)
    return podman_herd


@pytest.fixture
def home(kept: Herd) -> Path:
    (found,) = (kept.home / "emulator").glob("workers/*/home")
    return found


def up(kept: Herd, podman: Podman, home: Path, *words: str):
    """Start a command of tpuherd, and wait until its container says that it is there."""
    process = kept.start(*words)
    kept.until_says(process, "up inside", 60)
    (name,) = podman.running(home)
    return process, name


def rerun(kept: Herd, podman: Podman, home: Path):
    words = ("rerun", "job", "--on-interrupt", "cancel", "--", "bash", "-c", STUBBORN)
    process, name = up(kept, podman, home, *words)
    assert re.fullmatch(r"tpuherd-job-\w{4}\.\d+-w0", name)
    return process


def gone(kept: Herd, podman: Podman, home: Path) -> None:
    assert wait_for(lambda: not podman.running(home), 30), podman.running(home)
    assert not [line for line in kept.processes().values() if "sleep 1713" in line]


def name_of(pid: int) -> str:
    """Empty: it is gone by now."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def kill_agent(kept: Herd) -> None:
    """The keeper, with SIGKILL: nobody watches the workload any more."""
    named = {pid: name_of(pid) for pid in kept.processes()}
    keepers = [pid for pid, name in named.items() if name == "tpuherd-keeper"]
    assert keepers, kept.processes()
    for pid in keepers:
        os.kill(pid, signal.SIGKILL)


def test_with_ctrl_c(kept: Herd, podman: Podman, home: Path) -> None:
    process = rerun(kept, podman, home)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130, output(process)
    gone(kept, podman, home)


def test_with_cancel_from_elsewhere(kept: Herd, podman: Podman, home: Path) -> None:
    process = rerun(kept, podman, home)
    kept.run("cancel", "job")
    process.wait(60)
    gone(kept, podman, home)


def test_with_cancel_when_the_controller_is_dead(kept: Herd, podman: Podman, home: Path) -> None:
    process = rerun(kept, podman, home)
    process.kill()
    process.wait()
    assert len(podman.running(home)) == 1
    kept.run("cancel", "job")
    gone(kept, podman, home)


def test_with_cancel_when_controller_and_agent_are_dead(kept: Herd, podman: Podman, home: Path) -> None:
    process = rerun(kept, podman, home)
    process.kill()
    process.wait()
    kill_agent(kept)
    assert len(podman.running(home)) == 1
    kept.run("cancel", "job")
    gone(kept, podman, home)


def test_when_the_agent_dies_the_job_ends_and_takes_it_along(kept: Herd, podman: Podman, home: Path) -> None:
    process = rerun(kept, podman, home)
    kill_agent(kept)
    wait_for(lambda: process.poll() is not None, 60)
    assert process.returncode, output(process)
    gone(kept, podman, home)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_by_hand(kept: Herd, podman: Podman, home: Path, number: signal.Signals) -> None:
    process, name = up(kept, podman, home, "exec", "job", "--command", STUBBORN)
    assert name.startswith("tpuherd-command-")
    process.send_signal(number)
    assert process.wait(60) == 130, output(process)
    gone(kept, podman, home)


def test_commands_by_hand_run_inside(kept: Herd, podman: Podman, home: Path) -> None:
    script = "[ -e /usr/bin/apt-get ] || echo inside; exit 5"
    done = kept.ends_with(5, "exec", "job", "--command", script)
    assert "│ inside" in done.stdout
    gone(kept, podman, home)
