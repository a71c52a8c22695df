"""Overrides of single keys, `tpu.zone=us-east1-d`, on top of a job file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.config.document import parse_value
from tpuherd.config.problems import Origin, Problem
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.config.document import Document


OVERRIDE = Origin(text="override")
"""Where such a value comes from; the value itself is not shown, it may be a secret."""


def apply(document: Document, overrides: Sequence[str]) -> None:
    """Put overrides into a document, later ones last; what is wrong with them becomes its problems.

    Args:
        document: The job file; its values and origins are changed.
        overrides: `KEY=VALUE`, with a dotted key and a YAML value: `tpu.tags=[a, b]`, `job.loop=true`.
    """
    for override in overrides:
        _apply(document, override)


def _apply(document: Document, override: str) -> None:
    key, equals, text = override.partition("=")
    parts = tuple(key.strip().split("."))
    try:
        if not equals or not all(parts):
            raise ConfigError("expected KEY=VALUE, for example tpu.zone=us-east1-d")
        _put(document.data, parts, _value(text))
    except ConfigError as error:
        document.problems.append(Problem(origin=OVERRIDE, path=parts, text=str(error)))
        return
    _own(document, parts)


def _value(text: str) -> Any:
    try:
        return parse_value(text)
    except ConfigError as error:
        raise ConfigError("the value is not valid YAML; put it in quotes") from error


def _put(data: dict[str, Any], parts: tuple[str, ...], value: Any) -> None:
    section = data
    for depth, part in enumerate(parts[:-1], start=1):
        if section.get(part) is None:
            section[part] = {}
        section = section[part]
        if not isinstance(section, dict):
            raise ConfigError(f"{'.'.join(parts[:depth])} is no section, so it has no keys")
    section[parts[-1]] = value


def _own(document: Document, parts: tuple[str, ...]) -> None:
    """What the file said about the value, and about anything in it, is no longer where it comes from."""
    below = [path for path in document.origins if path[: len(parts)] == parts]
    for path in below:
        del document.origins[path]
    document.origins[parts] = OVERRIDE
