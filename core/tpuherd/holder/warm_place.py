"""Where the warm starter listens, and for which processes it stands in."""

from __future__ import annotations

import os
import resource
import socket
from pathlib import Path

from tpuherd.durations import variable_s
from tpuherd.holder import place

SUFFIX = ".warm"
START_VARIABLE = "TPUHERD_HOLDER_START_S"
START_S = 2.0
_MATTERS = (*place.MATTERS, "PYTHON", "LD_", "LC_", "LANG", "TZ", "MALLOC_")
"""Variables that are read when a process starts, so that setting them later does nothing."""
_SELF = Path("/proc/self")
_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")


def socket_path() -> Path:
    """The socket of the warm starter whose children are like children of whoever started this process.

    What a process does not change itself is part of the name: limits, groups, namespaces, control groups.

    Raises:
        OSError: it cannot be known here, or this process is one that nobody else can stand in for.
    """
    if not (hasattr(os, "pidfd_open") and hasattr(socket, "SO_PEERCRED")):
        raise OSError("this system has no warm starter")
    if not all(part.startswith("/") for part in _python_path()):
        raise OSError("PYTHONPATH depends on the current folder")
    parts = place.process_parts(_MATTERS) + _surroundings()
    return place.folder() / (place.digest(parts) + SUFFIX)


def start_s() -> float:
    """Seconds that the starter may take to fork; whoever does not wait longer starts by itself in less.

    Raises:
        ConfigError: the variable is no such number.
    """
    return variable_s(START_VARIABLE, START_S)


def _python_path() -> list[str]:
    text = os.environ.get("PYTHONPATH", "")
    return text.split(os.pathsep) if text else []


def _surroundings() -> list[str]:
    limits = sorted(name for name in dir(resource) if name.startswith("RLIMIT_"))
    found = [f"{name} {resource.getrlimit(getattr(resource, name))}" for name in limits]
    found += [str((_SELF / "ns" / name).readlink()) for name in _NAMESPACES]
    found += [str((_SELF / "root").readlink()), (_SELF / "cgroup").read_text()]
    return [*found, f"{os.nice(0)} {os.getuid()} {os.getgid()} {sorted(os.getgroups())}"]
