"""Commands that only read the store: without plugins and all other commands they start twice as fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    if not words or words[0] not in PLAIN:
        return None
    count, known = PLAIN[words[0]]
    options = [word for word in words[1:] if word.startswith("-")]
    if len(words) - 1 - len(options) != count or not known.issuperset(options):
        return None
    return _only(words[0])


def _only(name: str) -> TaskCollection:
    from tpuherd.tasks import viewing
    from tpuherd.tasks.collection import TaskCollection
    from tpuherd.warming import write_bytecode

    write_bytecode()
    made = TaskCollection()
    made.add(viewing.list_task if name == "list" else viewing.status)
    return made
