"""Commands that take any number of words: `tpuherd tpus.delete NAME NAME`.

Invoke has no such arguments. A task with words has an option that may be repeated, and the words of the
command line are turned into it: `tpus v4 v5e-8` is `tpus --pattern=v4 --pattern=v5e-8`, which is also what to
write with `inv`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from invoke.parser.context import to_flag
from invoke.tasks import Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from invoke.collection import Collection


class WordTask(Task[Any]):
    """A task that may have words."""

    words = ""
    """Name of the argument that holds them, which is iterable; empty: the task takes none."""


def words_of(task: Task[Any]) -> str:
    """Name of the argument that holds a task's words; empty if it takes none."""
    return task.words if isinstance(task, WordTask) else ""


def as_options(tokens: Sequence[str], collection: Collection) -> list[str]:
    """Turn the words of the first task of a command line into options.

    Args:
        tokens: the command line after the program's own options.
        collection: all tasks.
    """
    task = _task(tokens[0], collection) if tokens else None
    if task is None or not words_of(task):
        return list(tokens)
    return [tokens[0], *_spelled(tokens[1:], task)]


def _task(name: str, collection: Collection) -> Task[Any] | None:
    try:
        found: Task[Any] = collection[name]
    except (KeyError, ValueError):  # no such task; a collection without a task of its own
        return None
    return found


def _spelled(tokens: Sequence[str], task: Task[Any]) -> Iterator[str]:
    flags = {
        to_flag(name) for argument in task.get_arguments() if argument.takes_value for name in argument.names
    }
    waiting = False
    for token in tokens:
        is_word = not waiting and not token.startswith("-")
        waiting = not waiting and token in flags
        yield f"{to_flag(words_of(task))}={token}" if is_word else token
