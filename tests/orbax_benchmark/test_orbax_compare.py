from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest

from tpuherd.errors import ConfigError
from tpuherd_orbax_benchmark.compare import compare

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd_orbax_benchmark.results import Benchmark, BenchmarkResults, Series

TIME, RATE = "0_basics/time_s", "4_throughput/load_total_gbps"


def changed(results: BenchmarkResults, change: Callable[[Series], Series | None]) -> BenchmarkResults:
    def one(benchmark: Benchmark) -> Benchmark:
        kept = [new for old in benchmark.series if (new := change(old)) is not None]
        return dataclasses.replace(benchmark, series=tuple(kept))

    run = dataclasses.replace(results.run, job_id="bench-2")
    return dataclasses.replace(results, run=run, benchmarks=tuple(one(b) for b in results.benchmarks))


def scaled(operation: str, metric: str, factor: float) -> Callable[[Series], Series]:
    def change(old: Series) -> Series:
        if (old.operation, old.metric) != (operation, metric):
            return old
        return dataclasses.replace(old, values=tuple(v and v * factor for v in old.values))

    return change


def with_options(
    results: BenchmarkResults, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> BenchmarkResults:
    benchmarks = tuple(dataclasses.replace(b, options=change(b.options)) for b in results.benchmarks)
    return dataclasses.replace(results, benchmarks=benchmarks)


def test_a_run_equals_itself(results: BenchmarkResults) -> None:
    comparison = compare(results, results)
    assert {pair.worsening for pair in comparison.pairs} == {1.0}
    assert comparison.unpaired == ()
    assert comparison.beyond(1.0) == ()
    assert "same" in comparison.render()


def test_longer_times_are_worse(results: BenchmarkResults) -> None:
    comparison = compare(results, changed(results, scaled("restore", TIME, 1.5)))
    assert (comparison.worst.key.operation, comparison.worst.key.metric) == ("restore", TIME)
    assert comparison.worst.worsening == pytest.approx(1.5)
    assert {pair.key.operation for pair in comparison.beyond(1.4)} == {"restore"}
    assert len(comparison.beyond(1.4)) == 2  # both benchmarks
    assert comparison.beyond(1.6) == ()
    assert "x1.50 worse" in comparison.render()


def test_more_throughput_is_better_and_less_is_worse(results: BenchmarkResults) -> None:
    better = compare(results, changed(results, scaled("restore", RATE, 2.0)))
    assert better.beyond(1.1) == ()
    assert "x2.00 better" in better.render()
    worse = compare(results, changed(results, scaled("restore", RATE, 0.5)))
    assert worse.worst.ratio == pytest.approx(0.5)
    assert worse.worst.worsening == pytest.approx(2.0)


def test_the_worst_host_counts(results: BenchmarkResults) -> None:
    def slow_host(old: Series) -> Series:
        if (old.operation, old.metric, old.host) == ("save", TIME, 3):
            return dataclasses.replace(old, values=(9.0,))
        return old

    assert compare(results, changed(results, slow_host)).worst.after == 9.0


def test_only_what_has_a_direction_takes_part(results: BenchmarkResults) -> None:
    units = {pair.key.unit for pair in compare(results, results, namespaces=("",)).pairs}
    assert units == {"s", "GiB/s", "GiB"}
    metrics = {pair.key.metric for pair in compare(results, results).pairs}
    assert {metric.split("/")[0] for metric in metrics} == {"0_basics", "4_throughput", "7_memory"}


def test_missing_pairs_are_reported(results: BenchmarkResults) -> None:
    fewer = dataclasses.replace(changed(results, lambda s: s), benchmarks=results.benchmarks[:1])
    assert any(
        text.startswith("only in bench-1: PyTreeCheckpoint, tensor16, use_zarr3=off")
        for text in compare(results, fewer).unpaired
    )
    assert any(text.startswith("only in bench-1") for text in compare(fewer, results).unpaired)
    assert "note: only in bench-1" in compare(results, fewer).render()


def test_zeros_have_no_ratio(results: BenchmarkResults) -> None:
    comparison = compare(results, changed(results, scaled("restore", RATE, 0.0)))
    assert all(pair.key.metric != RATE for pair in comparison.pairs)
    assert any(text.startswith("no ratio, ") and text.endswith(RATE) for text in comparison.unpaired)


def test_nothing_in_common_is_an_error(results: BenchmarkResults, merged_results: BenchmarkResults) -> None:
    other = dataclasses.replace(results, benchmarks=merged_results.benchmarks)
    with pytest.raises(ConfigError, match="nothing to compare: bench-1"):
        compare(results, other)
    failed = changed(results, lambda s: dataclasses.replace(s, values=(None,)))
    with pytest.raises(ConfigError, match="nothing to compare"):
        compare(results, failed)


def test_other_topology_is_an_error(results: BenchmarkResults) -> None:
    other = dataclasses.replace(results, topology=dataclasses.replace(results.topology, devices=32))
    with pytest.raises(ConfigError, match=r"different topologies .*: devices 16 and 32"):
        compare(results, other)
    moved = dataclasses.replace(results, run=dataclasses.replace(results.run, accelerator="v6e-16"))
    with pytest.raises(ConfigError, match="accelerator v5litepod-16 and v6e-16"):
        compare(results, moved)


def test_options_that_one_version_does_not_know_are_left_out(results: BenchmarkResults) -> None:
    newer = with_options(results, lambda options: {**options, "brand_new": True})
    assert compare(results, newer).unpaired == ()
    assert compare(newer, results).unpaired == ()


def test_benchmarks_that_differ_only_there_cannot_be_told_apart(results: BenchmarkResults) -> None:
    older = with_options(results, lambda o: {name: value for name, value in o.items() if name != "use_zarr3"})
    one = dataclasses.replace(older, benchmarks=older.benchmarks[:1])
    with pytest.raises(ConfigError, match="cannot be told apart"):
        compare(one, results)


def test_meshes_with_one_name_stay_apart(merged_results: BenchmarkResults) -> None:
    comparison = compare(merged_results, merged_results)
    assert {pair.key.mesh for pair in comparison.pairs} == {"data2 fsdp2", "dcn:data2 fsdp2"}


@pytest.mark.parametrize("threshold", [0.9, 0.0, -1.0, float("nan")])
def test_threshold_below_one_is_an_error(results: BenchmarkResults, threshold: float) -> None:
    with pytest.raises(ConfigError, match="1 or more"):
        compare(results, results).beyond(threshold)


def test_json_has_ratio_and_worsening(results: BenchmarkResults) -> None:
    comparison = compare(results, changed(results, scaled("restore", RATE, 0.5)))
    document = json.loads(comparison.to_json())
    assert document["schema"] == "tpuherd.orbax_comparison/1"
    assert document["pairs"][0]["ratio"] == pytest.approx(0.5)
    assert document["pairs"][0]["worsening"] == pytest.approx(2.0)
    assert document["after"]["job_id"] == "bench-2"
