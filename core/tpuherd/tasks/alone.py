"""Commands that start twice as fast without all others, and without plugins if they only read the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.holder.asked import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from invoke.tasks import Task

    from tpuherd.tasks.collection import TaskCollection

PLAIN = {"list": (0, {"--json", "--live"}), "status": (1, {"--json"})}
"""For each command: how many words it takes, and its options."""


def alone(words: Sequence[str]) -> TaskCollection | None:
    """A collection of just the command that is asked for.

    Args:
        words: the command line without the program.

    Returns:
        `None` if it is another command, or anything is unusual: then all commands are needed.
    """
    if _is_plain_rerun(words):
        return _only("rerun")
    if parse(words):
        return _only("exec")
    if not words or words[0] not in PLAIN:
        return None
    count, known = PLAIN[words[0]]
    options = [word for word in words[1:] if word.startswith("-")]
    if len(words) - 1 - len(options) != count or not known.issuperset(options):
        return None
    return _only(words[0])


def _is_plain_rerun(words: Sequence[str]) -> bool:
    """Nothing but a job, and perhaps another command for it."""
    own = words[: list(words).index("--")] if "--" in words else words
    return len(own) == 2 and own[0] == "rerun" and not own[1].startswith("-")


def _only(name: str) -> TaskCollection:
    from tpuherd.tasks.collection import TaskCollection
    from tpuherd.warming import write_bytecode

    write_bytecode()
    made = TaskCollection()
    made.add(_task(name))
    return made


def _task(name: str) -> Task[Any]:
    if name == "rerun":
        from tpuherd.tasks.rerunning import rerun

        return rerun
    if name == "exec":
        from tpuherd.tasks.reaching import exec_task

        return exec_task
    from tpuherd.tasks import viewing

    return viewing.list_task if name == "list" else viewing.status
