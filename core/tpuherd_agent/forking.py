"""How an agent that stands by gets a child for a call."""

from __future__ import annotations

import os
from contextlib import suppress

from tpuherd_agent.child import Child
from tpuherd_agent.errors import INTERNAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_HIGHEST = 1024
"""No descriptor of an agent that stands by is higher: they are few, and the system gives the lowest."""


def fork(words: list[str], run: Callable[[list[str]], int]) -> Child:
    """Starts a child for a call.

    Args:
        words: Of the call.
        run: What the child does with them; returns its exit code.

    Raises:
        OSError: The system has no room for it; nothing was begun.
    """
    pipes: list[int] = []
    try:
        for _ in range(3):
            pipes += os.pipe()
        pid = os.fork()
    except OSError:
        for descriptor in pipes:
            os.close(descriptor)
        raise
    if pid == 0:
        _become(pipes, words, run)
    for descriptor in (pipes[0], pipes[3], pipes[5]):
        os.close(descriptor)
    return Child(pid, stdin=pipes[1], stdout=pipes[2], stderr=pipes[4])


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
