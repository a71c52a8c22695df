"""Whether a supervisor would do for a job what the process would do that hands it over."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.config.secrets import SecretRef
from tpuherd.durations import variable_s
from tpuherd.holder.place import MATTERS, digest, setting_parts

if TYPE_CHECKING:
    from collections.abc import Mapping

IDLE_VARIABLE = "TPUHERD_SUPERVISOR_IDLE_S"
"""Seconds without a job after which a supervisor ends that a command has started."""
IDLE_S = 60.0
INSTALLED = frozenset({"site-packages", "dist-packages"})
"""Folders that change when something is installed."""


def likeness() -> str:
    """A short name for what matters of this process: interpreter, installed code, store, plugins, cloud.

    It does not depend on the folder in which a process was started, nor on the script that started it.
    """
    installed = [path for path in sys.path if Path(path).name in INSTALLED]
    stamps = [str(Path(path).stat().st_mtime_ns) for path in installed if Path(path).exists()]
    return digest([*setting_parts(MATTERS), *stamps])


def has_own_secrets(env: Mapping[str, object]) -> bool:
    """True if a job's `env` refers to variables of the process that drives it."""
    return any(isinstance(value, SecretRef) and value.env is not None for value in env.values())


def idle_s() -> float:
    """How long a supervisor that a command has started waits for the next job, in seconds.

    Raises:
        ConfigError: the variable is no such number.
    """
    return variable_s(IDLE_VARIABLE, IDLE_S)
