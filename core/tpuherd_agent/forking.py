"""How an agent that stands by gets a child for a call."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from tpuherd_agent import processes
from tpuherd_agent.child import Child, Session
from tpuherd_agent.errors import INTERNAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_HIGHEST = 1024
"""No descriptor of an agent that stands by is higher: they are few, and the system gives the lowest."""


_IGNORED_BY_PYTHON = [signal.SIGPIPE, signal.SIGXFSZ]


def fork(words: list[str], run: Callable[[list[str]], int]) -> Child:
    """Starts a child for a call.

    Args:
        words: Of the call.
        run: What the child does with them; returns its exit code.

    Raises:
        OSError: The system has no room for it; nothing was begun.
    """
    return _started(Child, lambda pipes: os.fork() or _become(pipes, words, run))


def spawn(command: str) -> Child:
    """Starts the user's shell with a command line, as an SSH session would; no memory is copied for it.

    Args:
        command: For the shell.

    Raises:
        OSError: Nothing was begun.
    """
    shell = os.environ.get("SHELL", "/bin/sh")
    variables = [pair.split(b"=", 1) for pair in processes.variables(os.getpid()) if b"=" in pair]

    def start(pipes: list[int]) -> int:
        streams = [(os.POSIX_SPAWN_DUP2, pipes[at], target) for target, at in enumerate((0, 3, 5))]
        return os.posix_spawn(
            shell,
            [os.path.basename(shell), "-c", command],  # noqa: PTH119  (for each call)
            dict(variables),  # without those that Python adds to its own
            file_actions=streams,
            setsid=True,
            setsigmask=(),
            setsigdef=_IGNORED_BY_PYTHON,
        )

    return _started(Session, start)


def _started(kind: type[Child], start: Callable[[list[int]], int]) -> Child:
    pipes: list[int] = []
    try:
        for _ in range(3):
            pipes += os.pipe()
        pid = start(pipes)
    except OSError:
        for descriptor in pipes:
            os.close(descriptor)
        raise
    for descriptor in (pipes[0], pipes[3], pipes[5]):
        os.close(descriptor)
    return kind(pid, stdin=pipes[1], stdout=pipes[2], stderr=pipes[4])


def _become(pipes: list[int], words: list[str], run: Callable[[list[str]], int]) -> NoReturn:
    """In the child: as in an SSH session of its own, with nothing of the channel and of other calls."""
    code = INTERNAL
    with suppress(BaseException):
        os.setsid()
        for target, descriptor in enumerate((pipes[0], pipes[3], pipes[5])):
            os.dup2(descriptor, target)
        os.closerange(3, _HIGHEST)
        code = run(words)
    os._exit(code)
