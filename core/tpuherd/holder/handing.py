"""A command line that a child of the warm starter runs, which has imported everything already."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from tpuherd.errors import TpuherdError
from tpuherd.exit_codes import ExitCode
from tpuherd.holder import frames, place, sockets, starting, warm_place, warm_request

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGWINCH, signal.SIGTSTP)


def hand_over() -> int | None:
    """Let a child of the warm starter run this process's command line, and wait for its end.

    Returns:
        The exit code; `None` if nothing was begun, for whatever reason.
    """
    try:
        if not place.idle_s():
            return None
        start_s = warm_place.start_s()
        sock = sockets.connect(warm_place.socket_path())
    except (OSError, TpuherdError):
        return None
    with sock:
        try:
            child = _forked(sock, start_s)
        except OSError:
            return None
        return _followed(sock, child)


def start_for_the_next() -> None:
    """Start a warm starter, unless there is one; without one, commands only take longer."""
    with suppress(OSError, TpuherdError):
        idle_s, path = place.idle_s(), warm_place.socket_path()
        if not idle_s:
            return
        place.make_private(path.parent)
        found = starting.running(path)
        if found:
            found.close()
        else:
            from tpuherd.holder.preparing import note_used_modules

            note_used_modules(path)
            starting.spawn(path, ["tpuherd.holder.warm", str(path), str(idle_s)])


def _forked(sock: socket.socket, start_s: float) -> int:
    """A descriptor of a child that is ready, and waits for our streams to begin.

    Raises:
        OSError: there is none; nothing was begun.
    """
    sock.settimeout(start_s)
    frames.send(sock, warm_request.described())
    frame = frames.receive(sock)
    if frame is None or "pid" not in frame.header:
        raise ConnectionError("the warm starter does not want to")
    return os.pidfd_open(frame.header["pid"])


def _followed(sock: socket.socket, child: int) -> int | None:
    try:
        with _forwarding(child):
            try:
                warm_request.send_streams(sock)
            except OSError:
                return None
            return _exit_code(sock)
    finally:
        os.close(child)


def _exit_code(sock: socket.socket) -> int:
    """Wait for the end; a child that a signal ended ends this process in the same way."""
    sock.settimeout(None)
    try:
        frame = frames.receive(sock)
    except OSError:
        frame = None
    if frame is None:
        sys.stderr.write(
            "tpuherd: the background process of this command was killed, and how it ended is not known; "
            "`tpuherd status JOB` tells how the job is\n"
        )
        return ExitCode.INTERNAL_ERROR
    code: int = frame.header["code"]
    if code < 0:
        with suppress(OSError):  # KILL has no other handler
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


@contextmanager
def _forwarding(child: int) -> Iterator[None]:
    """Within the block, signals go on to the child; those that are ignored here are ignored there, too."""

    def forward(number: int, _frame: Any) -> None:
        with suppress(ProcessLookupError):
            if number == signal.SIGTSTP:
                _pause(child)
            else:
                signal.pidfd_send_signal(child, number)

    before = {n: signal.getsignal(n) for n in _FORWARDED if signal.getsignal(n) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, forward)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _pause(child: int) -> None:
    """Ctrl-Z stops both, and both go on together."""
    signal.pidfd_send_signal(child, signal.SIGSTOP)
    os.kill(os.getpid(), signal.SIGSTOP)
    signal.pidfd_send_signal(child, signal.SIGCONT)
