"""Processes of this machine: recognized for certain before anything is sent to them.

Facts come from `/proc`; a process is held by a pidfd between the check and the signal, so that a pid that was
given to another process in the meantime is never hit.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class ProcessId:
    """One process, for as long as the machine is up."""

    pid: int
    started: int
    """Clock ticks since boot, field 22 of `/proc/PID/stat`."""

    def alive(self) -> bool:
        """True if it runs; a zombie does not."""
        return start_ticks(self.pid) == self.started


def start_ticks(pid: int) -> int | None:
    """Return when a process started in clock ticks since boot; `None` if it does not run."""
    fields = _stat(pid)
    return int(fields[19]) if fields and fields[0] not in "ZX" else None


def parent(pid: int) -> int | None:
    """Return the pid of a process' parent; `None` if it does not run."""
    fields = _stat(pid)
    return int(fields[1]) if fields else None


def _stat(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` from the third (state) on; the second may hold spaces and brackets."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def marked(variable: str) -> Iterator[tuple[str, ProcessId]]:
    """Yield value and process for each process of this user that was started with an environment variable."""
    prefix = f"{variable}=".encode()
    for pid in _pids():
        values = [entry[len(prefix) :] for entry in _environment(pid) if entry.startswith(prefix)]
        for process in _identified(pid) if values else ():
            yield os.fsdecode(values[0]), process


def descendants(roots: set[int]) -> set[int]:
    """Return the pids of all children of these processes, and of their children."""
    parents = {pid: parent(pid) for pid in _pids()}
    found: set[int] = set()
    wave = roots
    while wave:
        wave = {pid for pid, above in parents.items() if above in wave} - found
        found |= wave
    return found


def tree(root: ProcessId) -> set[ProcessId]:
    """Return a running process and all that descend from it."""
    if not root.alive():
        return set()
    return {root} | {process for pid in descendants({root.pid}) for process in _identified(pid)}


def send(process: ProcessId, number: signal.Signals) -> bool:
    """Send a signal to exactly this process; False if it is gone or belongs to somebody else."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        return process.alive() and _signal(descriptor, number)
    finally:
        os.close(descriptor)


def _signal(descriptor: int, number: signal.Signals) -> bool:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        signal.pidfd_send_signal(descriptor, number)
        return True
    return False


def wait_gone(process: ProcessId, timeout_s: float) -> bool:
    """Wait until a process has ended; False if it still runs after `timeout_s`."""
    return wait_until(lambda: not process.alive(), timeout_s)


def wait_until(condition: Callable[[], bool], timeout_s: float, pause_s: float = 0.005) -> bool:
    """Ask again and again; False if the condition was still false after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause_s)
    return True


def _identified(pid: int) -> Iterator[ProcessId]:
    started = start_ticks(pid)
    if started is not None:
        yield ProcessId(pid, started)


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
