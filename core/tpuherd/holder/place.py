"""Where holders listen: a folder that only this user can enter, and one socket for each kind of holder."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.durations import variable_s

if TYPE_CHECKING:
    from collections.abc import Sequence

IDLE_VARIABLE = "TPUHERD_HOLDER_IDLE_S"
"""Seconds after which a holder that nobody used ends; 0: no holder is used."""
IDLE_S = 600.0
MATTERS = ("TPUHERD_", "GOOGLE_", "CLOUDSDK_")
_DOES_NOT = frozenset({"TPUHERD_JOB", "TPUHERD_DEBUG", "TPUHERD_EXEC_ID"})


def idle_s() -> float:
    """How long an idle holder waits for the next command, in seconds.

    Raises:
        ConfigError: the variable is no such number.
    """
    return variable_s(IDLE_VARIABLE, IDLE_S, ", or 0 to use no connection holder")


def folder() -> Path:
    """The folder of all sockets: of the login session if there is one, else in `paths.home()`."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "tpuherd" if runtime and Path(runtime).is_absolute() else paths.home() / "holder"


def make_private(directory: Path) -> None:
    """Make a folder that nobody else can enter.

    Raises:
        PermissionError: it is there, and is not like that.
        OSError: it cannot be made.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(f"{directory} is not a folder of this user alone")


def socket_name() -> str:
    """The name of the socket of the holder that does as this process would do.

    It depends on the installed tpuherd, on the interpreter, and on the variables that choose the store, the
    plugins and the cloud's credentials: with others, another holder is used.
    """
    stamps = [str(stamp) for stamp in _source_stamps(str(Path(__file__).parents[1]))]
    return digest([*process_parts(MATTERS), *stamps]) + ".sock"


def process_parts(matters: tuple[str, ...]) -> list[str]:
    """What tells this process from others: the interpreter, what is installed, and the variables that matter.

    Args:
        matters: how the names of those variables begin, besides `HOME` and `PYTHONPATH`.
    """
    return setting_parts(matters) + [str(_changed_ns(path)) for path in sys.path]


def setting_parts(matters: tuple[str, ...]) -> list[str]:
    """The same without what is installed."""
    parts = [sys.executable, str(paths.home()), os.environ.get("HOME", ""), os.environ.get("PYTHONPATH", "")]
    return parts + sorted(f"{name}={value}" for name, value in os.environ.items() if _matters(name, matters))


def digest(parts: Sequence[str]) -> str:
    """A short name for all of these."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _matters(name: str, matters: tuple[str, ...]) -> bool:
    return name.startswith(matters) and name not in _DOES_NOT


def _changed_ns(path: str) -> int:
    """When something was installed into a folder of modules, or taken out."""
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return 0


def _source_stamps(directory: str) -> list[int]:
    """When each of our modules was changed: a holder never runs other code than its callers."""
    stamps: list[int] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                stamps.append(entry.stat().st_mtime_ns)
            elif entry.is_dir() and entry.name != "__pycache__":
                stamps += _source_stamps(entry.path)
    return sorted(stamps)
