"""A requirements file with all files that it includes, as one text for workers that have none of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tpuherd import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

INCLUDED = re.compile(r"\s*(?:-r|--requirement)[\s=]*+(?![\w+]+://)(\S+)")
LOCAL = re.compile(r"\s*(?:(?:-c|--constraint|-e|--editable)\b[\s=]*+(?![\w+]+://)|\.{0,2}/|file:|~/)")
"""Beginnings of lines that name something on this machine; addresses are for everybody."""


def whole(path: Path, above: tuple[Path, ...] = ()) -> str:
    """The text of a requirements file, with what it includes in place of the lines that include it.

    Args:
        path: the file.
        above: the files that include this one.

    Raises:
        ConfigError: a file cannot be read or includes itself, or a line names something that only this
            machine has.
    """
    if path.resolve() in above:
        raise ConfigError(f"venv.requirements_file: {path} includes itself")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise ConfigError(f"venv.requirements_file: cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"venv.requirements_file: {path} is not UTF-8 text") from error
    inside = (*above, path.resolve())
    return "\n".join(_line(path, number, line, inside) for number, line in enumerate(lines, start=1))


def _line(path: Path, number: int, line: str, inside: tuple[Path, ...]) -> str:
    included = INCLUDED.match(line)
    if included:
        return whole(path.parent / included[1], inside)
    if LOCAL.match(line):
        where = f"{path}, line {number}: {line.strip()!r}"
        raise ConfigError(
            f"venv.requirements_file: {where} is on this machine, and workers do not have it; projects come "
            "with `code.sync` and `code.editable`, and constraints go into the lines themselves"
        )
    return line
