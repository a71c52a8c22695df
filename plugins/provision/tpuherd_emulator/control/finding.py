"""The control of the cloud that a command means: the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError, StateError

if TYPE_CHECKING:
    from tpuherd_emulator.control.client import Control


def running() -> Control:
    """Return the control of the user's emulated cloud.

    Raises:
        StateError: None runs.
    """
    from tpuherd_emulator.control.client import Control
    from tpuherd_emulator.joining import directory
    from tpuherd_emulator.lifecycle import status

    info = status(directory()).info
    if info is None:
        raise StateError("no emulated cloud runs; `tpuherd cloud.up` starts one")
    return Control(info)


def number(text: str, what: str) -> float:
    """Read a number of the command line.

    Raises:
        ConfigError: It is none.
    """
    try:
        return float(text)
    except ValueError as error:
        raise ConfigError(f"{what} {text!r}: write a number") from error
