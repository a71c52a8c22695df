"""The few figures that a benchmark is run for, derived from the many that the harness reports.

Each is the median over the repeats (and over the steps, where an operation is numbered: `save_3`). Within a
repeat, times are those of the slowest host: the operation is over when the last host is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tpuherd_orbax_benchmark.results import Benchmark

TIME = "0_basics/time_s"
PEAK = "7_memory/host_peak_rss_gb"
_STEP = re.compile(r"(?:saving step|save|wait_until_finished|restore|load)(?:[_ ](\d+))?")
_SAVE = ("save", "saving step")
_WAIT = ("wait_until_finished",)
_RESTORE = ("restore", "load")
Sample = tuple[int, int]
"""Repeat and step."""
Samples = dict[Sample, dict[int, float]]
"""Per sample, the value of each host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the table and the plot show of a benchmark; `None`: not reported by it."""

    save_blocking_s: float | None
    """How long the caller is held up by a save. If the harness waits in a block of its own: `save ·
    0_basics/time_s`; else, for asynchronous saves, `save · 2_save_breakdown/blocking_async_s`; else the same
    as `save_total_s`."""
    save_total_s: float | None
    """Until the checkpoint is finished: `save · 0_basics/time_s`, plus `wait_until_finished ·
    0_basics/time_s` on the same host if there is such a block."""
    restore_s: float | None
    """`restore · 0_basics/time_s`, or `load` in the benchmarks of Orbax v1."""
    save_gib_per_s: float | None
    """All hosts together: `4_throughput/save_total_gbps`, the size of the tree over the time until finished,
    as the first host reports it. For asynchronous saves it appears under `wait_until_finished`, otherwise
    under `save`."""
    save_gib_per_s_host: float | None
    """Mean over the hosts: `9_other/orbax_write_worker_io_requested_throughput_gbytes_per_sec`, the bytes
    that a host writes over the time that its writing takes; from the same block as `save_gib_per_s`."""
    restore_gib_per_s: float | None
    """All hosts together: `restore · 4_throughput/load_total_gbps`, as the first host reports it."""
    restore_gib_per_s_host: float | None
    """Mean over the hosts: `restore · 4_throughput/load_per_host_gbps`. Hosts that read the same replica
    each count."""
    peak_host_gib: float | None
    """Highest resident memory of any process in any repeat, while it saves and restores; from tpuherd's
    worker side."""


def figures(benchmark: Benchmark) -> Figures:
    """Return the figures of one benchmark."""
    save, wait = _samples(benchmark, _SAVE, TIME), _samples(benchmark, _WAIT, TIME)
    total = _sum(save, wait)
    blocking = save if wait else _samples(benchmark, _SAVE, "2_save_breakdown/blocking_async_s") or total
    written = "9_other/orbax_write_worker_io_requested_throughput_gbytes_per_sec"
    return Figures(
        save_blocking_s=_middle(blocking, max),
        save_total_s=_middle(total, max),
        restore_s=_middle(_samples(benchmark, _RESTORE, TIME), max),
        save_gib_per_s=_middle(_samples(benchmark, _SAVE + _WAIT, "4_throughput/save_total_gbps"), max),
        save_gib_per_s_host=_middle(_samples(benchmark, _SAVE + _WAIT, written), fmean),
        restore_gib_per_s=_middle(_samples(benchmark, _RESTORE, "4_throughput/load_total_gbps"), max),
        restore_gib_per_s_host=_middle(
            _samples(benchmark, _RESTORE, "4_throughput/load_per_host_gbps"), fmean
        ),
        peak_host_gib=_peak(benchmark),
    )


def _samples(benchmark: Benchmark, operations: tuple[str, ...], metric: str) -> Samples:
    samples: Samples = defaultdict(dict)
    for series in benchmark.series:
        match = _STEP.fullmatch(series.operation)
        if series.metric == metric and match and series.operation.startswith(operations):
            for repeat, value in enumerate(series.values):
                if value is not None:
                    samples[repeat, int(match[1] or 0)][series.host] = value
    return dict(samples)


def _sum(save: Samples, wait: Samples) -> Samples:
    """Add what each host waited to what it was held up; without any wait, saves are as they are."""
    return {
        key: {host: value + wait.get(key, {}).get(host, 0.0) for host, value in hosts.items()}
        for key, hosts in save.items()
        if not wait or key in wait
    }


def _middle(samples: Samples, over_hosts: Callable[[Iterable[float]], float]) -> float | None:
    return median(over_hosts(hosts.values()) for hosts in samples.values()) if samples else None


def _peak(benchmark: Benchmark) -> float | None:
    peaks = [value for series in benchmark.series if series.metric == PEAK for value in series.values]
    return max((peak for peak in peaks if peak is not None), default=None)
