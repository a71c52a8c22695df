"""One command line on its way to the warm starter, and the process that becomes it."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

STREAMS = (0, 1, 2)
"""Descriptors that go along: the terminal, or whatever else input comes from and output goes to."""


def described() -> dict[str, Any]:
    """This process, as far as another must be told in order to do the same.

    Raises:
        OSError: the current folder is gone, or a standard stream is closed.
    """
    for descriptor in STREAMS:
        os.fstat(descriptor)
    return {
        "op": "run",
        "argv": sys.argv,
        "cwd": str(Path.cwd()),
        "env": dict(os.environ),
        "path": sys.path,
        "umask": _umask(),
        "ignored": [n for n in signal.valid_signals() if signal.getsignal(n) == signal.SIG_IGN],
        "blocked": list(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    }


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found


def send_streams(sock: socket.socket) -> None:
    """Send the standard streams, and with them the word to begin.

    Raises:
        OSError: the other side has gone away; it did not begin.
    """
    socket.send_fds(sock, [b"\0"], STREAMS)


def take_streams(sock: socket.socket) -> bool:
    """Wait for the other side's standard streams, which become ours; false if it does not send them."""
    _, streams, _, _ = socket.recv_fds(sock, 1, len(STREAMS))
    for wanted, got in zip(STREAMS, streams, strict=False):
        os.dup2(got, wanted)
        os.close(got)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]
    return len(streams) == len(STREAMS)


def become(request: dict[str, Any]) -> None:
    """Turn this process, a fork of the warm starter, into the described one, but for its streams.

    It gets a process group, and stays in the starter's session, which has no terminal: whoever opens one
    there does not acquire it, and reading from the caller's terminal is not stopped.

    Raises:
        OSError: the folder cannot be entered.
    """
    os.setpgid(0, 0)
    os.umask(request["umask"])
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    sys.argv[:], sys.path[:] = request["argv"], request["path"]
    _set_signals(set(request["ignored"]), request["blocked"])


def _set_signals(ignored: set[int], blocked: list[int]) -> None:
    for number in signal.valid_signals():
        if number in ignored:
            signal.signal(number, signal.SIG_IGN)
        elif number == signal.SIGINT:
            signal.signal(number, signal.default_int_handler)
        elif signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
