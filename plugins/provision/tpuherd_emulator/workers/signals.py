"""Signals to what runs on a worker: to all of it, or to its SSH server only."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd_emulator.processes import ProcessId, send
from tpuherd_emulator.workers.ending import processes

if TYPE_CHECKING:
    from collections.abc import Iterable

ROUNDS = 10
"""Looks for processes that were started while others were stopped."""


def freeze(folder: Path) -> None:
    """Stop every process of a worker."""
    stopped: set[ProcessId] = set()
    for _ in range(ROUNDS):
        running = processes([folder]) - stopped
        if not running:
            return
        _send(running, signal.SIGSTOP)
        stopped |= running


def thaw(folder: Path) -> None:
    """Let every process of a worker go on."""
    _send(processes([folder]), signal.SIGCONT)


def silence(folder: Path) -> None:
    """Stop the SSH server with its connections; what they started goes on."""
    _send({process for process in processes([folder]) if is_server(process)}, signal.SIGSTOP)


def is_server(process: ProcessId) -> bool:
    """True for OpenSSH's server, its sessions, and the built-in one."""
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        program = Path(command.split(b"\0")[0].decode(errors="replace").split(":")[0]).name
        return program.startswith("sshd") or b"tpuherd_emulator.workers.builtin_server" in command
    return False


def _send(found: Iterable[ProcessId], number: signal.Signals) -> None:
    for process in found:
        send(process, number)
