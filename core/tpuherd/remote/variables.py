"""Variables for a command on a worker that no command line shows."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tpuherd.remote.result import RemoteCommand

if TYPE_CHECKING:
    from collections.abc import Mapping


def with_variables(command: str, variables: Mapping[str, str], stdin: bytes = b"") -> RemoteCommand:
    """Return a command that first reads its variables from standard input, and has the rest of it as its own.

    Whoever lists processes on the worker sees at most how many bytes are read, and nothing of them.

    Args:
        command: for the worker's shell.
        variables: names, which have to be names of variables, to values of any text.
        stdin: what the command itself reads.
    """
    if not variables:
        return RemoteCommand(command=command, stdin=stdin or None)
    lines = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    data = ("\n".join(lines) + "\n").encode()
    return RemoteCommand(command=f"{_read(len(data)) if stdin else _READ_ALL}\n{command}", stdin=data + stdin)


_READ_ALL = '. /dev/stdin 2> /dev/null || eval "$(cat)"'
"""The shell itself reads; where its input is a socket, it cannot."""


def _read(count: int) -> str:
    """`head` takes exactly so many bytes of a pipe: it never reads ahead."""
    return f'eval "$(head -c {count})"'
