"""Processes on emulated workers: the agent's, the work's, those of SSH connections."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd_emulator.workers import ending

if TYPE_CHECKING:
    from collections.abc import Callable

    from chaotic.site import Site


def kill(site: Site, worker: int, is_meant: Callable[[str], bool], number: int = signal.SIGKILL) -> int:
    """Send a signal to some processes of the workers of a number; returns how many there were."""
    found = [one.pid for one in ending.processes(site.workers(worker)) if is_meant(command(one.pid))]
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
    return len(found)


def command(pid: int) -> str:
    """The command line of a process; empty if there is none."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    return ""


def is_agent(line: str) -> bool:
    """True for the keeper of an attempt and whatever else of the agent runs."""
    return "/.tpuherd/agent/" in line and not line.startswith(("sshd", "bash", "sh "))


def is_work(line: str) -> bool:
    """True for the work itself."""
    return line.startswith("python3 -I -S") and "/work.py " in line


def is_connection(line: str) -> bool:
    """True for what serves one SSH connection, not for the server that takes new ones."""
    return line.startswith(("sshd: ", "sshd-session")) and "listener" not in line


def with_job(job_id: str) -> list[str]:
    """Command lines of all processes that were started for a job on a worker and are still there."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit() and f"TPUHERD_JOB_ID={job_id}\0".encode() in _environment(folder):
                found.append(command(int(folder.name)))
    return [line for line in found if line]


def _environment(folder: Path) -> bytes:
    return (folder / "environ").read_bytes() + b"\0"
