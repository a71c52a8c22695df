"""`cloud.up`: whatever is wrong with the options or the scenario is found before anything is started."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd_emulator.choosing import chosen
from tpuherd_emulator.joining import directory
from tpuherd_emulator.lifecycle import attach, up

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tpuherd_emulator.info import CloudInfo

MANUAL = "cloud.up"
"""The user that `cloud.up` enters: the cloud then runs until `cloud.down`."""


def begin(given: Mapping[str, str], scenario: str) -> CloudInfo:
    """Start the user's emulated cloud or join it, and begin a scenario in it.

    Args:
        given: Options of the command line by field of `EmulatorOptions`, as texts; empty: not given.
        scenario: Path of a scenario file; empty: none.

    Raises:
        ConfigError: An option or the scenario is wrong.
        ProvisionError: The cloud cannot be started.
    """
    if scenario:
        return _begin_scenario(given, Path(scenario).expanduser())
    options = chosen(given, {})
    attach(directory(), MANUAL)
    return up(directory(), options)


def _begin_scenario(given: Mapping[str, str], path: Path) -> CloudInfo:
    from tpuherd_emulator.control.client import Control
    from tpuherd_emulator.scenarios.load import load

    scenario = load(path)
    options = chosen(given, scenario.cloud.options())
    attach(directory(), MANUAL)
    info = up(directory(), options)
    with Control(info) as control:
        control.begin(scenario)
    return info
