"""Where a run's time went: the workload, the environment, and tpuherd itself."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.model.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSplit:
    """Seconds of this process's wall time, from its start until now."""

    total_s: float
    workload_s: float
    """While the workload ran on the workers."""
    environment_s: float
    """While the environment, and what is around it, was installed or checked."""
    provision_s: float
    """Of tpuherd's own share: asking for the slices and waiting for them."""

    @property
    def own_s(self) -> float:
        """Our own share: everything but the workload and the environment."""
        return self.total_s - self.workload_s - self.environment_s

    def __str__(self) -> str:
        return (
            f"{self.total_s:.1f} s = workload {self.workload_s:.1f} + environment {self.environment_s:.1f} "
            f"+ tpuherd {self.own_s:.1f} (of which provisioning {self.provision_s:.1f})"
        )


def time_split(events: Sequence[Event]) -> TimeSplit:
    """The split of this process's time, from the events of its job."""
    began = process_started_at()
    recent = [event for event in events if event.at >= began]
    return TimeSplit(
        total_s=time.time() - began,
        workload_s=_between(recent, "workload.started", "workload.ended", ""),
        environment_s=sum(
            _between(recent, "stage.started", "stage.ended", stage)
            for stage in ("equip_workers", "prepare_env")
        ),
        provision_s=_between(recent, "stage.started", "stage.ended", "provision"),
    )


def _between(events: Sequence[Event], start: str, end: str, text: str) -> float:
    """Seconds between pairs of events; a start without an end counts for nothing."""
    total, began = 0.0, None
    for event in events:
        if event.kind == start and event.text.startswith(text):
            began = event.at
        elif event.kind == end and event.text.startswith(text) and began is not None:
            total, began = total + event.at - began, None
    return total


def process_started_at() -> float:
    """When this process started, in seconds since the epoch; interpreter start and imports are ours, too."""
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    uptime_s = float(Path("/proc/uptime").read_text().split()[0])
    return time.time() - uptime_s + ticks / os.sysconf("SC_CLK_TCK")
