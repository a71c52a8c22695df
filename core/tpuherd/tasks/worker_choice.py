"""Which workers a command means: `all`, `0`, `0,3`, `1-5`, and mixtures of the last three."""

from __future__ import annotations

import re

from tpuherd.errors import ConfigError

WORKERS_HELP = "Which workers: all, 0, 0,3, 1-5, or a mixture such as 0,4-7."


def chosen(words: str, count: int) -> tuple[int, ...]:
    """The indices that a choice of workers means, in their order, each once.

    Args:
        words: as a user writes them; `w3` is the same as `3`.
        count: how many workers there are.

    Raises:
        ConfigError: it is no choice, or it names a worker that is not there.
    """
    if words.strip() == "all":
        return tuple(range(count))
    found = sorted({index for part in words.split(",") for index in _part(part, words, count)})
    beyond = [index for index in found if index >= count]
    if beyond:
        raise ConfigError(f"there is no worker {beyond[0]}: the job has 0 to {count - 1}")
    return tuple(found)


def _part(part: str, words: str, count: int) -> range:
    match = re.fullmatch(r"w?(\d{1,9})(?:-w?(\d{1,9}))?", part.strip())
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if last < first:
        raise ConfigError(f"{words!r}: expected all, numbers from 0 to {count - 1}, or ranges such as 1-5")
    return range(first, max(first, min(last, count)) + 1)  # no more than it takes to see that it is wrong
