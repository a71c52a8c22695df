"""Who holds the TPU devices."""

from __future__ import annotations

import os
from pathlib import Path

from tpuherd_agent import processes
from tpuherd_agent.records import NamedTuple

DEFAULT_PATTERNS = "/dev/accel*:/dev/vfio/[0-9]*"
"""Up to v4, and v5e and later."""


class Holder(NamedTuple):
    """A process with an open TPU device; only one process can use a chip."""

    pid: int
    command: str
    attempt: str | None
    """`None`: not started by tpuherd."""
    devices: list[str]


def devices() -> list[str]:
    """The TPU devices of this machine.

    `TPUHERD_DEVICE_GLOB` (absolute patterns joined by `:`) replaces the usual ones.
    """
    patterns = os.environ.get("TPUHERD_DEVICE_GLOB", DEFAULT_PATTERNS).split(":")
    found = (Path("/").glob(pattern[1:]) for pattern in patterns if pattern.startswith("/"))
    return sorted(str(path) for paths in found for path in paths)


def holders() -> list[Holder]:
    """All processes with an open device, as far as this user may see."""
    wanted = {os.path.realpath(path): path for path in devices()}
    if not wanted:
        return []
    found = (
        (p.pid, sorted({wanted[t] for t in _open_files(p.pid) if t in wanted})) for p in processes.every()
    )
    return [
        Holder(pid, processes.command(pid), processes.attempt_of(pid), held) for pid, held in found if held
    ]


def _open_files(pid: int) -> list[str]:
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)  # noqa: PTH208  (hundreds of thousands of links on a busy worker)
    except OSError:
        return []  # gone, or another user's
    return [target for target in (_target(f"{folder}/{name}") for name in names) if target]


def _target(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115  (as above)
    except OSError:
        return ""
