"""What a supervisor costs: memory, processor, calls to the TPU API."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from tpuherd.cloud.counting import calls

PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What was used between two looks."""

    rss_mib: float
    cpu_share: float
    """Of one core."""
    api_calls: dict[str, int]
    """Since the process began, by method."""
    api_calls_per_s: float


class Meter:
    """Looks at this process from time to time."""

    def __init__(self) -> None:
        """Begin."""
        self._at, self._cpu_s, self._calls = time.monotonic(), time.process_time(), 0

    def read(self) -> Figures:
        """What was used since the last look."""
        now, cpu_s, by_method = time.monotonic(), time.process_time(), calls()
        total, passed_s = sum(by_method.values()), max(now - self._at, 1e-6)
        found = Figures(
            rss_mib=round(rss_mib(), 1),
            cpu_share=round((cpu_s - self._cpu_s) / passed_s, 3),
            api_calls=by_method,
            api_calls_per_s=round((total - self._calls) / passed_s, 2),
        )
        self._at, self._cpu_s, self._calls = now, cpu_s, total
        return found


def rss_mib() -> float:
    """The memory of this process that is in RAM; 0 where `/proc` does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_MIB
    except OSError:
        return 0.0
