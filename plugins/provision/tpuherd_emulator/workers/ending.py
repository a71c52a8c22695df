"""Ending workers for certain, whether their daemon still lives or not."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd_emulator.files import write_private
from tpuherd_emulator.layout import WORKER_MARKER
from tpuherd_emulator.processes import ProcessId, marked, send, start_ticks, tree, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterable

TIMEOUT_S = 10.0
"""SIGKILL works at once, except on a process that waits for a disk."""


def remember(pid: int, pid_file: Path) -> None:
    """Write down which process is a worker's outermost one."""
    write_private(pid_file, f"{pid} {start_ticks(pid) or 0}\n")


def recall(pid_file: Path) -> ProcessId | None:
    """Return the process of a pid file; `None` if there is none."""
    try:
        pid, started = pid_file.read_text().split()
    except (OSError, ValueError):
        return None
    return ProcessId(int(pid), int(started))


def processes(folders: Iterable[Path]) -> set[ProcessId]:
    """Return what runs on workers: the trees of their outermost processes, and all that has their marker."""
    wanted = {str(folder) for folder in folders}
    found = {process for folder, process in marked(WORKER_MARKER) if folder in wanted}
    for folder in wanted:
        outermost = recall(Path(folder, "pid"))
        found |= tree(outermost) if outermost else set()
    return found


def power_off(folders: Iterable[Path]) -> int:
    """Kill everything on these workers, again and again until nothing is left.

    Returns:
        How many processes were killed.
    """
    workers = tuple(folders)
    killed: set[ProcessId] = set()

    def is_quiet() -> bool:
        running = processes(workers)
        killed.update(process for process in running if process.pid != os.getpid() and _kill(process))
        return not running

    wait_until(is_quiet, TIMEOUT_S)
    return len(killed)


def _kill(process: ProcessId) -> bool:
    return send(process, signal.SIGKILL)
