"""Ending processes: TERM, time to end themselves, KILL."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from tpuherd_agent import processes
from tpuherd_agent.errors import NOT_STOPPED, AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_agent.processes import Process

KILL_TIMEOUT_S = 10.0
"""A killed process that is still there after this time hangs in the kernel."""


def end_all(
    find: Callable[[], list[Process]], deadline: float, *, then: Callable[[], None] = lambda: None
) -> None:
    """TERM, until the deadline; `then` what ends the rest gently; KILL."""
    left = _signal_until_gone(find, signal.SIGTERM, deadline)
    then()
    left = left and find()
    left = left and _signal_until_gone(find, signal.SIGKILL, time.monotonic() + KILL_TIMEOUT_S)
    if left:
        names = ", ".join(f"{process.pid} ({processes.command(process.pid)})" for process in left)
        why = "another user's, or hanging in the kernel: reboot the worker"
        message = f"these processes could not be stopped: {names}; {why}"
        raise AgentError(message, NOT_STOPPED)


def _signal_until_gone(find: Callable[[], list[Process]], number: int, deadline: float) -> list[Process]:
    """Signals each process once; returns those that are left at the deadline."""
    signalled: set[Process] = set()
    pause_s = 0.005
    while (left := find() or _after_a_moment(find)) and time.monotonic() < deadline:
        for process in _not_at_work(left, signalled):
            _send(process, number)
            signalled.add(process)
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.5, 0.2)
    return left


def _not_at_work(left: list[Process], signalled: set[Process]) -> list[Process]:
    """Those to be signalled, parents first: a shell tells its child's death as its own.

    What a process starts after it was signalled is how it ends itself, for example a copy of its checkpoint:
    that is left alone for as long as its parent lives.
    """
    ending = {process.pid for process in left if process in signalled}
    found = []
    for process in sorted(set(left) - signalled):
        if ending and processes.parent(process.pid) in ending:
            ending.add(process.pid)
        else:
            found.append(process)
    return found


def _after_a_moment(find: Callable[[], list[Process]]) -> list[Process]:
    """Looks again: one that was just starting has no readable variables yet."""
    time.sleep(0.005)
    return find()


def _send(process: Process, number: int) -> None:
    now = processes.find(process.pid)
    if now and now.start_ticks == process.start_ticks:
        with suppress(ProcessLookupError, PermissionError):  # what is left is reported in the end
            os.kill(process.pid, number)
