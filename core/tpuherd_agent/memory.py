"""How often the kernel had to kill for want of memory."""

from __future__ import annotations

from tpuherd_agent import processes


def oom_kills() -> int | None:
    """Processes killed since boot, in all control groups; `None` if the kernel does not say (before 4.13)."""
    try:
        rows = (processes.PROC / "vmstat").read_text().splitlines()
    except OSError:
        return None
    counts = (row.split() for row in rows if row.startswith("oom_kill "))
    return next((int(count) for _, count in counts), None)


def oom_kills_since(earlier: object) -> int | None:
    """The same since it was so many; `None` if either is not known."""
    now = oom_kills()
    return now - earlier if isinstance(now, int) and isinstance(earlier, int) else None
