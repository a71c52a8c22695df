"""Pair the metrics of two runs."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError
from tpuherd_orbax_benchmark import labels
from tpuherd_orbax_benchmark.comparison import HIGHER_IS_WORSE, Comparison, Key, Pair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd_orbax_benchmark.results import Benchmark, BenchmarkResults, Run, Series

NAMESPACES = ("0_basics", "4_throughput", "7_memory")
"""The metrics that say how long, how fast, and with how much memory; the breakdowns below them are mostly
noise."""
Names = tuple[str, ...]
Identity = tuple[str, str, str, str]
"""Benchmark, checkpoint, mesh and options in full, and operation with metric: equal in both runs for a
pair."""


def compare(before: BenchmarkResults, after: BenchmarkResults, namespaces: Names = NAMESPACES) -> Comparison:
    """Pair the metrics of two runs by benchmark, checkpoint, mesh, options, operation and metric.

    Options that only one of the runs knows (another version of Orbax) do not take part.

    Args:
        before: The run to measure against.
        after: The run to judge.
        namespaces: Which metrics, by the first part of their name, for example `2_save_breakdown`.

    Raises:
        ConfigError: The topologies differ, two benchmarks of one run cannot be told apart, or nothing pairs
        up.
    """
    _check_topology(before, after)
    names = tuple(name for name in _option_names(after) if name in _option_names(before))
    first, second = (_metrics(results, names, namespaces) for results in (before, after))
    pairs = [
        Pair(key=key, before=first[identity][1], after=value)
        for identity, (key, value) in second.items()
        if identity in first and first[identity][1] > 0 and value > 0
    ]
    if not pairs:
        raise ConfigError(
            f"nothing to compare: {before.run.job_id} and {after.run.job_id} share no benchmark with the same"
            " checkpoint, mesh and options, or none of its repeats succeeded"
        )
    unpaired = [*_only(first, second, before.run), *_only(second, first, after.run), *_zeros(first, second)]
    return Comparison(
        before=before.run,
        after=after.run,
        topology=after.topology,
        pairs=tuple(pairs),
        unpaired=tuple(unpaired),
    )


def _check_topology(before: BenchmarkResults, after: BenchmarkResults) -> None:
    first = {"accelerator": before.run.accelerator, **asdict(before.topology)}
    second = {"accelerator": after.run.accelerator, **asdict(after.topology)}
    differing = [f"{name} {first[name]} and {second[name]}" for name in first if first[name] != second[name]]
    if differing:
        raise ConfigError(
            f"{before.run.job_id} and {after.run.job_id} ran on different topologies and cannot be"
            f" compared: {', '.join(differing)}"
        )


def _option_names(results: BenchmarkResults) -> Names:
    return tuple(dict.fromkeys(name for benchmark in results.benchmarks for name in benchmark.options))


def _metrics(results: BenchmarkResults, names: Names, namespaces: Names) -> dict[Identity, tuple[Key, float]]:
    """Return what can be compared, with its short names."""
    varying = tuple(name for name in labels.differing_options(results.benchmarks) if name in names)
    found: dict[Identity, tuple[Key, float]] = {}
    for benchmark in results.benchmarks:
        own = dict(_own_metrics(benchmark, names, varying, namespaces))
        if not found.keys().isdisjoint(own):
            raise ConfigError(
                f"{results.run.job_id}: two benchmarks cannot be told apart by what the other run has, too:"
                f" {', '.join(labels.all_labels(benchmark, names))}"
            )
        found |= own
    return found


def _own_metrics(
    benchmark: Benchmark, names: Names, varying: Names, namespaces: Names
) -> Iterator[tuple[Identity, tuple[Key, float]]]:
    name, mesh, options = labels.all_labels(benchmark, varying)
    grouped: dict[tuple[str, str, str], list[Series]] = defaultdict(list)
    for series in benchmark.series:
        if series.unit in HIGHER_IS_WORSE and series.metric.startswith(namespaces):
            grouped[series.operation, series.metric, series.unit].append(series)
    for (operation, metric, unit), hosts in grouped.items():
        value = _middle(hosts, higher_is_worse=HIGHER_IS_WORSE[unit])
        key = Key(benchmark=name, mesh=mesh, options=options, operation=operation, metric=metric, unit=unit)
        if value is not None:
            yield (*_identity(benchmark, names), f"{operation} · {metric}"), (key, value)


def _identity(benchmark: Benchmark, names: Names) -> tuple[str, str, str]:
    mesh = benchmark.mesh and (
        benchmark.mesh.axes,
        {a: n for a, n in (benchmark.mesh.dcn or {}).items() if n > 1},
    )
    options = {name: benchmark.options.get(name) for name in names}
    what = (benchmark.generator, benchmark.checkpoint)
    first, second, third = (json.dumps(part, sort_keys=True) for part in (what, mesh, options))
    return first, second, third


def _middle(hosts: list[Series], *, higher_is_worse: bool) -> float | None:
    """Return the median over the repeats of the worst host's value; `None` if no repeat has one."""
    worst = max if higher_is_worse else min
    repeats = zip(*(series.values for series in hosts), strict=True)
    present = [[value for value in repeat if value is not None] for repeat in repeats]
    values = [worst(repeat) for repeat in present if repeat]
    return median(values) if values else None


def _describe(key: Key) -> str:
    return f"{key.benchmark}, {key.mesh}, {key.options}: {key.operation} · {key.metric}"


def _only(
    one: dict[Identity, tuple[Key, float]], other: dict[Identity, tuple[Key, float]], run: Run
) -> list[str]:
    return [
        f"only in {run.job_id}: {_describe(key)}"
        for identity, (key, _) in one.items()
        if identity not in other
    ]


def _zeros(first: dict[Identity, tuple[Key, float]], second: dict[Identity, tuple[Key, float]]) -> list[str]:
    return [
        f"no ratio, {first[identity][1]:g} before and {value:g} after: {_describe(key)}"
        for identity, (key, value) in second.items()
        if identity in first and not (first[identity][1] > 0 and value > 0)
    ]
