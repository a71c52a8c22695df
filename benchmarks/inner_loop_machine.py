"""What the figures were measured on, and with."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

PROGRAMS = {
    "gcloud": ["gcloud", "--version"],
    "git": ["git", "--version"],
    "rsync": ["rsync", "--version"],
    "ssh": ["ssh", "-V"],
}
MODULES = ("tpuherd", "fabric", "paramiko")


def machine() -> dict[str, object]:
    """The hardware and the system."""
    return {
        "processors": os.cpu_count(),
        "processor": _processor(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
    }


def versions() -> dict[str, str | None]:
    """Of all that takes part; `None` for programs that are not there."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in MODULES},
        **{name: _first_line(argv) for name, argv in PROGRAMS.items()},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _first_line(argv: list[str]) -> str | None:
    if shutil.which(argv[0]) is None:
        return None
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.partition("\n")[0].strip()
