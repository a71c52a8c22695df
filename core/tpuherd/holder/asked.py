"""What the command line of a plain `tpuherd exec` asks for, without invoke."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Exec(NamedTuple):
    """What a command line asks for."""

    job: str
    script: str
    workers: str = "all"
    timeout_s: float = 600.0
    json: bool = False


def parse(words: Sequence[str]) -> Exec | None:
    """What a command line asks for; `None` for everything but a plain `exec`."""
    own, command = _split(words)
    if not own or own[0] != "exec":
        return None
    try:
        found = _options(own[1:])
        job, script = found.pop("job"), found.pop("command", "") or shlex.join(command)
        timeout_s = float(found.pop("timeout-s", "600"))
    except (KeyError, ValueError):
        return None
    json = found.pop("json", "") == "yes"
    return Exec(job, script, found.pop("workers", "all"), timeout_s, json) if script else None


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    if "--" not in words:
        return list(words), []
    at = list(words).index("--")
    return list(words[:at]), list(words[at + 1 :])


def _options(words: Sequence[str]) -> dict[str, str]:
    """Options and the job, by name.

    Raises:
        ValueError: there is something else.
    """
    found: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("-"):
            name, value = "job", word
        elif word == "--json":
            value = "yes"
        elif word.startswith("--") and name in ("workers", "timeout-s", "command"):
            value = value if equals else next(rest, "")
        else:
            raise ValueError(word)
        if name in found or not value:
            raise ValueError(word)
        found[name] = value
    return found
