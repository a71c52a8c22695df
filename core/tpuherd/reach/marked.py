"""A command that can be ended: its processes carry a mark, wherever they go."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd.reach.interruptible import interruptible
from tpuherd.remote import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tpuherd.model.allocation import Worker
    from tpuherd.remote import FanOut, Line, RemoteCommand, RemoteWorkers

EXEC_VARIABLE = "TPUHERD_EXEC_ID"
"""The mark: an environment variable, which child processes inherit."""
GRACE_S = 2.0
"""Between TERM and KILL."""
END_S = 20.0
LEFT_TO_ITSELF = frozenset({Outcome.TIMED_OUT, Outcome.LOST})
"""Ends after which the command may still run."""


def run_marked(
    remote: RemoteWorkers,
    commands: Mapping[int, RemoteCommand],
    *,
    timeout_s: float,
    on_line: Callable[[Worker, Line], None] | None,
    note: Callable[[str], None],
) -> FanOut:
    """Run commands on workers; a time-out, or the end of this process, ends them there, too.

    Args:
        remote: connections to the workers.
        commands: by the index of the worker.
        timeout_s: for each worker, including connecting.
        on_line: as for `RemoteWorkers.run`.
        note: told what is done about a command that is not waited for any more.

    Raises:
        KeyboardInterrupt: Ctrl-C, TERM or a closed terminal; the command was ended.
    """
    mark = secrets.token_hex(8)
    marked = {index: _marked(command, mark) for index, command in commands.items()}
    try:
        with interruptible():
            done = remote.run_each(marked, timeout_s=timeout_s, on_line=on_line)
    except KeyboardInterrupt:
        note("ending the command on the workers; Ctrl-C again leaves it to itself")
        _end(remote, list(commands), mark, note)
        raise
    late = [result.worker.index for result in done.results if result.outcome in LEFT_TO_ITSELF]
    if late:
        _end(remote, late, mark, note)
    return done


def _marked(command: RemoteCommand, mark: str) -> RemoteCommand:
    return replace(command, command=f"export {EXEC_VARIABLE}={mark}\n{command.command}", mark=mark)


def _end(remote: RemoteWorkers, workers: Sequence[int], mark: str, note: Callable[[str], None]) -> None:
    from tpuherd.agent.asking import ask  # which packs the agent: not needed for a command that ends

    words = ("end", "--exec", mark, "--grace", str(GRACE_S))
    ends = ask(remote, workers, *words, timeout_s=END_S).ends
    if ends.failed:
        note(f"it may still run: {ends.summary()}")
