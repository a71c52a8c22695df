"""The options of a new cloud: from the command line, then from a scenario, then by default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.errors import ConfigError
from tpuherd_emulator.options import EmulatorOptions, check, parse_span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SPANS = ("create_s", "delete_s", "queue_s")


def chosen(given: Mapping[str, str], scenario: Mapping[str, Any]) -> EmulatorOptions:
    """Return the options of a cloud that is to be started.

    Args:
        given: Texts of the command line by field of `EmulatorOptions`; empty: not given.
        scenario: Values of the scenario's section `cloud`.

    Raises:
        ConfigError: One of them makes no sense.
    """
    written = {name: _read(name, text) for name, text in given.items() if text}
    return check(EmulatorOptions(**{**scenario, **written}))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _read(name: str, text: str) -> Any:
    if name in SPANS:
        return parse_span(text, name)
    kinds: dict[str, Callable[[str], Any]] = {"seed": int, "speed": float, "ssh_port": int, "zones": _words}
    try:
        return kinds.get(name, str)(text)
    except ValueError as error:
        raise ConfigError(f"{name} {text!r}: write a number") from error
