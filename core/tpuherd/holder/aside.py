"""A child process that finds out what a command has to do, while this one connects to the workers."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

from tpuherd.holder import frames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tpuherd.holder.asked import Exec


@contextmanager
def found_out(asked: Exec) -> Iterator[Callable[[], dict[str, Any] | None]]:
    """Let a child find it out; as long as the block lasts, the job's slices do not count as idle.

    To import what asks the store and the plugins takes as long as to connect to some dozen workers, and
    threads would keep one another waiting: both is Python. This process must have one thread.

    Args:
        asked: what a command line asks for.

    Yields:
        What waits for the answer, see `answering.reached`; `None`: something is wrong.
    """
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        _answer(theirs, asked)
    theirs.close()
    try:
        with ours:
            yield lambda: _heard(ours)
    except BaseException:
        os.kill(child, signal.SIGKILL)  # it may wait for a database
        raise
    finally:
        os.waitpid(child, 0)


def _heard(sock: socket.socket) -> dict[str, Any] | None:
    with suppress(ConnectionError):
        frame = frames.receive(sock)
        return frame and frame.header
    return None


def _answer(sock: socket.socket, asked: Exec) -> NoReturn:
    """Answer, and wait for the parent's end; the parent finds its own errors."""
    try:
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        from tpuherd.holder.answering import reached

        with reached(asked.job, asked.workers, asked.script, is_ours=True) as answer:
            frames.send(sock, answer)
            sock.recv(1)
    finally:
        os._exit(0)
