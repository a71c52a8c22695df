"""One command in one SSH session: input, output, and how it ended."""

from __future__ import annotations

import math
import select
import threading
import time
from typing import TYPE_CHECKING, Any

from tpuherd.remote.result import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.remote.result import RemoteCommand, StreamName

_CHUNK_BYTES = 1 << 18
_STEP_S = 2.0
_HEARD_S = 3.0
"""A worker heard of within this time (it is asked every 2 s) has no output left that is still on its way."""


def start(channel: Any, command: RemoteCommand) -> None:
    """Start the command; a thread writes its input while somebody reads its output.

    Raises:
        ConnectionError: the connection was lost; it is not known if the command was started.
    """
    open_command(channel, command.command, close_input=not command.stdin)
    if command.stdin:
        threading.Thread(target=_write, args=(channel, command.stdin), daemon=True).start()


def open_command(channel: Any, line: str, *, close_input: bool) -> None:
    """Start a command without any input, or one whose input is the caller's business; errors as `start`."""
    import paramiko

    try:
        channel.exec_command(line)
        if close_input:
            channel.shutdown_write()
    except (EOFError, OSError, paramiko.SSHException) as error:
        raise ConnectionError(f"the connection ended while the command was started: {error}") from error


def chunks(channel: Any, deadline: float) -> Iterator[tuple[StreamName, bytes]]:
    """The output as it arrives, until both streams end, or the command ended and its children are silent.

    Raises:
        TimeoutError: it did not end before `deadline`, a `time.monotonic()`.
    """
    poller = select.poll()
    poller.register(channel.fileno(), select.POLLIN)
    while True:
        exited, left_s = channel.exit_status_ready(), deadline - time.monotonic()
        quiet = not poller.poll(min(max(left_s, 0.0), _STEP_S) * 1000)
        if quiet and exited and channel.transport.sock.quiet_s < _HEARD_S:
            return
        if left_s <= 0:
            raise TimeoutError
        if quiet:
            continue
        # asked before reading: what arrives before the end is read before the end is believed
        ended = channel.eof_received or channel.closed
        found = list(_ready(channel))
        yield from found
        if ended and not found:
            return


class ChannelSource:
    """A session that a `RemoteStream` reads."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel

    def chunks(self) -> Iterator[tuple[StreamName, bytes]]:
        """What it says, see `chunks`."""
        return chunks(self._channel, math.inf)

    def ending(self) -> tuple[Outcome, int | None]:
        """How it ended, see `ending`."""
        return ending(self._channel, math.inf)

    def close(self) -> None:
        """End it."""
        self._channel.close()


def ending(channel: Any, deadline: float) -> tuple[Outcome, int | None]:
    """How the command ended, after its output did; the exit code if there is one."""
    left_s = max(0.0, deadline - time.monotonic())
    if not channel.status_event.wait(min(left_s, threading.TIMEOUT_MAX)):
        return Outcome.TIMED_OUT, None
    if channel.exit_status >= 0:
        return Outcome.EXITED, channel.exit_status
    # paramiko says -1 for a signal and for a lost connection, and takes a moment until it knows which
    channel.transport.join(0.2)
    return (Outcome.SIGNALLED if channel.transport.is_active() else Outcome.LOST), None


def _ready(channel: Any) -> Iterator[tuple[StreamName, bytes]]:
    if channel.recv_ready() and (data := channel.recv(_CHUNK_BYTES)):
        yield "stdout", data
    if channel.recv_stderr_ready() and (data := channel.recv_stderr(_CHUNK_BYTES)):
        yield "stderr", data


def _write(channel: Any, data: bytes) -> None:
    import paramiko

    view = memoryview(data)  # the same bytes for all workers, without a copy
    try:
        while view:
            view = view[channel.send(view) :]
        channel.shutdown_write()
    except (EOFError, OSError, paramiko.SSHException):
        return  # the command ended without reading all of it, or its end is reported as lost
