"""The emulated VM image: the programs that every worker has besides the system's own."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def build(binaries: Path) -> None:
    """Fill a folder with links to Python and, if there is one, uv."""
    base = base_python()
    _link(binaries / "python3", base)
    _link(binaries / f"python3.{sys.version_info.minor}", base)
    uv = find_uv()
    if uv is not None:
        _link(binaries / "uv", uv)


def base_python() -> Path:
    """Return the interpreter that this process' virtual environment was made from."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def find_uv() -> Path | None:
    """Return the uv of the user who starts the cloud; `None` if there is none."""
    candidates = (os.environ.get("UV"), shutil.which("uv"), Path.home() / ".local/bin/uv")
    found = (Path(candidate) for candidate in candidates if candidate)
    return next((path.resolve() for path in found if path.is_file()), None)


def uv_cache() -> Path:
    """Return the folder of the user's uv cache, by uv's own rules for Linux."""
    named = os.environ.get("UV_CACHE_DIR")
    if named:
        return Path(named).resolve()
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "uv"


def _link(link: Path, target: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)
