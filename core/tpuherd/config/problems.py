"""What is wrong with a job file, one sentence per problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

KeyPath = tuple[str | int, ...]
"""Where a value is in a job file: `("ssh", "identities", 0, "public_key")`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a value was written."""

    text: str
    """For example `job.yaml:12` or `override`."""
    line: int = 0
    """Line in the file, from 1; 0: it is not from the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong."""

    origin: Origin
    path: KeyPath
    text: str
    """What was found, what is expected, and what to write instead."""

    def __str__(self) -> str:
        key = dotted(self.path)
        return f"{self.origin.text}: {key}: {self.text}" if key else f"{self.origin.text}: {self.text}"


def dotted(path: KeyPath) -> str:
    """Write a path as people do: `ssh.identities[0].public_key`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def refuse(problems: Iterable[Problem]) -> None:
    """Raise one `ConfigError` with all problems, one per line in the order of the file; none: do nothing."""
    ordered = sorted(problems, key=lambda problem: problem.origin.line)
    if ordered:
        raise ConfigError("\n".join(dict.fromkeys(str(problem) for problem in ordered)))
