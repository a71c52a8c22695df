"""Commands as the workload would run them: in its environment, in its code's folder."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tpuherd.code.importing import CODE_VARIABLE, prelude

if TYPE_CHECKING:
    from tpuherd.model.outcome import Environment, SyncedCode


def command_in(environment: Environment, code: SyncedCode, script: str) -> str:
    """Return a command for a worker's shell that runs a bash script where the workload runs.

    Args:
        environment: its variables and `PATH` entries; `$HOME` at their start is the worker's home folder.
        code: the folder to start in.
        script: bash text.
    """
    lines = [f'cd "$HOME"/{shlex.quote(code.directory)}']
    if code.directory:
        lines.append(f'export {CODE_VARIABLE}="$HOME"/{shlex.quote(code.directory)}')
    lines += [f"export {name}={_word(value)}" for name, value in environment.variables.items()]
    lines += [f'export PATH={_word(entry)}:"$PATH"' for entry in reversed(environment.path_entries)]
    words = ["exec", *environment.command_prefix, "bash", "-c", prelude(code) + script]
    return "\n".join([*lines, shlex.join(words)])


def _word(value: str) -> str:
    """A shell word in which only a leading `$HOME` is special, as the agent has it."""
    if value == "$HOME" or value.startswith("$HOME/"):
        return '"$HOME"' + shlex.quote(value.removeprefix("$HOME"))
    return shlex.quote(value)
