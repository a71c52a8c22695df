"""The agent's command line: `COMMAND --name VALUE --switch`.

Not argparse: importing it takes longer than what most commands do.
"""

from __future__ import annotations

from types import SimpleNamespace

from tpuherd_agent.errors import USAGE, AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Option:
    """One option: how its word is read, and what it is where it is not given."""

    def __init__(self, read: Callable[[str], object] | None = str, default: object = None) -> None:
        """Keep what is known.

        Args:
            read: Word to value, raises `ValueError` for a bad one; `None`: a switch, which has no word.
            default: What it is without; `REQUIRED`: it must be given.
        """
        self.read = read
        self.default = default


REQUIRED = object()


def count(text: str) -> int:
    """A whole number, 0 or more."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def seconds(text: str) -> float:
    """A time, 0 or more."""
    if not 0 <= float(text) < 1e6:
        raise ValueError(text)
    return float(text)


def token(text: str) -> str:
    """Letters and digits."""
    if not text.isalnum():
        raise ValueError(text)
    return text


def parse(words: Sequence[str], commands: Mapping[str, Mapping[str, Option]]) -> tuple[str, SimpleNamespace]:
    """The command that words begin with, and its options as attributes.

    Raises:
        AgentError: There is no such command or option, one is missing, or a value is wrong.
    """
    name = words[0] if words else ""
    if name not in commands:
        raise AgentError(f"no command {name!r}: choose one of {', '.join(commands)}", USAGE)
    known = commands[name]
    given = dict(_pairs(name, list(words[1:]), known))
    values = {option: given.get(option, about.default) for option, about in known.items()}
    missing = [f"--{option}" for option, value in values.items() if value is REQUIRED]
    if missing:
        raise AgentError(f"{name}: {', '.join(missing)} is required", USAGE)
    return name, SimpleNamespace(**values)


def _pairs(command: str, words: list[str], known: Mapping[str, Option]) -> list[tuple[str, object]]:
    found = []
    while words:
        word = words.pop(0)
        option = known.get(word[2:]) if word.startswith("--") else None
        if option is None:
            raise AgentError(f"{command}: unknown option {word!r}", USAGE)
        found.append((word[2:], True if option.read is None else _value(command, word, words, option.read)))
    return found


def _value(command: str, option: str, words: list[str], read: Callable[[str], object]) -> object:
    if not words:
        raise AgentError(f"{command}: {option} needs a value", USAGE)
    word = words.pop(0)
    try:
        return read(word)
    except ValueError:
        raise AgentError(f"{command}: {option}: bad value {word[:130]!r}", USAGE) from None
