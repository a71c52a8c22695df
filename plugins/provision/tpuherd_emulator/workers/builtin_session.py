"""One session of the built-in SSH server: a command or a shell, with or without a terminal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import signal
import struct
import subprocess
import termios
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import paramiko

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHUNK = 1 << 18
"""Bytes moved at a time; with the channel's window, the bound of what is in memory per stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PtyRequest:
    """The terminal that a client asked for."""

    term: str
    columns: int
    rows: int


@dataclass(slots=True)
class Session:
    """What a client has asked for on one channel, and then its running process."""

    directory: Path
    variables: dict[str, str] = field(default_factory=dict)
    pty: PtyRequest | None = None
    _terminal: int | None = None

    def start(self, channel: paramiko.Channel, command: bytes) -> bool:
        """Start the worker's `login` with a command, empty for a shell; output flows from now on."""
        environment = self._environment(command)
        run = self._run_on_terminal if self.pty else self._run_on_pipes
        threading.Thread(target=run, args=(channel, environment), daemon=True).start()
        return True

    def resize(self, *, columns: int, rows: int) -> bool:
        """Tell the terminal its new size; False if there is none."""
        if self._terminal is None:
            return False
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        return True

    def _environment(self, command: bytes) -> dict[str, str]:
        user = pwd.getpwuid(os.getuid()).pw_name
        basic = {"PATH": "/usr/bin:/bin", "USER": user, "LOGNAME": user, **self.variables}
        terminal = {"TERM": self.pty.term} if self.pty else {}
        return basic | terminal | ({"SSH_ORIGINAL_COMMAND": os.fsdecode(command)} if command else {})

    def _run_on_pipes(self, channel: paramiko.Channel, environment: dict[str, str]) -> None:
        process = subprocess.Popen(
            [self.directory / "login"],
            env=environment,
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        assert process.stdin
        assert process.stdout
        assert process.stderr
        _thread(_pump_in, channel, process.stdin.fileno(), process.stdin.close)
        pumps = [
            _thread(_pump_out, process.stdout.fileno(), channel.sendall, process.stdout.close),
            _thread(_pump_out, process.stderr.fileno(), channel.sendall_stderr, process.stderr.close),
        ]
        _finish(channel, process.wait(), pumps)

    def _run_on_terminal(self, channel: paramiko.Channel, environment: dict[str, str]) -> None:
        assert self.pty
        ours, theirs = os.openpty()
        self._terminal = ours
        self.resize(columns=self.pty.columns, rows=self.pty.rows)
        process = subprocess.Popen(
            # setsid -c makes the terminal the controlling one, so that Ctrl-C reaches the program.
            ["setsid", "-c", "-w", self.directory / "login"],
            env=environment, cwd="/", stdin=theirs, stdout=theirs, stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        _thread(_pump_in, channel, os.dup(ours), lambda: None)
        pump = _thread(_pump_out, ours, channel.sendall, lambda: None)
        _finish(channel, process.wait(), [pump])
        self._terminal = None
        os.close(ours)


def _thread(target: Callable[..., None], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=target, args=arguments, daemon=True)
    thread.start()
    return thread


def _pump_in(channel: paramiko.Channel, descriptor: int, close: Callable[[], None]) -> None:
    """Move what the client sends to the process; the end of it closes the process' input."""
    with contextlib.suppress(OSError, EOFError):
        while data := channel.recv(CHUNK):
            while data:
                data = data[os.write(descriptor, data) :]
    close()


def _pump_out(descriptor: int, send: Callable[[bytes], object], close: Callable[[], None]) -> None:
    """Move what the process writes to the client; if that is gone, the process gets a broken pipe."""
    with contextlib.suppress(OSError, EOFError):
        while data := os.read(descriptor, CHUNK):
            send(data)
    close()


def _finish(channel: paramiko.Channel, code: int, pumps: list[threading.Thread]) -> None:
    """Report how the process ended, as soon as it has; close when all that holds its output has ended."""
    with contextlib.suppress(OSError, EOFError, paramiko.SSHException):
        if code >= 0:
            channel.send_exit_status(code)
        else:
            _send_exit_signal(channel, signal.Signals(-code).name.removeprefix("SIG"))
    for pump in pumps:
        pump.join()
    channel.close()


def _send_exit_signal(channel: paramiko.Channel, name: str) -> None:
    """RFC 4254, section 6.10; paramiko can receive this but has no method to send it."""
    message = paramiko.Message()
    message.add_byte(bytes([paramiko.common.MSG_CHANNEL_REQUEST]))
    message.add_int(channel.remote_chanid)
    message.add_string("exit-signal")
    message.add_boolean(False)
    message.add_string(name)
    message.add_boolean(False)
    message.add_string("")
    message.add_string("")
    channel.get_transport()._send_user_message(message)  # noqa: SLF001
