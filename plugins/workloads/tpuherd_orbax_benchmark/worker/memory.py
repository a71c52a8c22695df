"""The peak of this process's resident memory, from `/proc` (Linux, see proc(5))."""

from __future__ import annotations

from pathlib import Path

_RESET_PEAK = "5"
"""Written to `clear_refs`, sets the peak back to the current size (Linux 4.0 and later)."""


def reset_peak() -> bool:
    """Start a new peak; false if this kernel or sandbox does not allow it."""
    try:
        Path("/proc/self/clear_refs").write_text(_RESET_PEAK)
    except OSError:
        return False
    return True


def peak_bytes() -> int:
    """Return the highest resident size since the last reset, or since the process started."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
