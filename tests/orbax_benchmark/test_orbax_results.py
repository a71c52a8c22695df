from __future__ import annotations

import csv
import dataclasses
import io
import json
from typing import TYPE_CHECKING

import pytest

from tpuherd.errors import ConfigError, WorkloadError
from tpuherd_orbax_benchmark.documents import from_collected, from_json, to_csv, to_json
from tpuherd_orbax_benchmark.figures import figures
from tpuherd_orbax_benchmark.results import Benchmark, BenchmarkResults, Mesh, Run, Series

if TYPE_CHECKING:
    from pathlib import Path


def test_json_round_trip(results: BenchmarkResults) -> None:
    assert from_json(to_json(results)) == results


def test_other_schema_is_refused(results: BenchmarkResults) -> None:
    text = to_json(results).replace("tpuherd.orbax_benchmark/1", "tpuherd.orbax_benchmark/9")
    with pytest.raises(ConfigError, match=r"old\.json: .*schema is 'tpuherd.orbax_benchmark/9'"):
        from_json(text, source="old.json")


@pytest.mark.parametrize("text", ["", "[]", "3", "{}", '{"schema": "tpuherd.orbax_benchmark/1"}'])
def test_other_documents_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="not a results file"):
        from_json(text)
    with pytest.raises(WorkloadError, match="cannot be read"):
        from_collected(text, Run(job_id="a", attempt=1, accelerator="v4-8", zone="z"))


def test_csv_has_a_line_per_measurement(results: BenchmarkResults) -> None:
    lines = list(csv.DictReader(io.StringIO(to_csv(results))))
    measurements = list(results.measurements)
    assert len(lines) == len(measurements) > 400
    assert [float(line["value"]) for line in lines] == [one.value for one in measurements]
    assert lines[0]["mesh"] == "tensor16"
    assert json.loads(lines[0]["options"])["use_zarr3"] is True


def test_measurements_stand_alone(results: BenchmarkResults) -> None:
    one = next(m for m in results.measurements if m.metric == "4_throughput/save_total_gbps")
    assert (one.operation, one.host, one.repeat, one.unit) == ("wait_until_finished", 0, 0, "GiB/s")
    assert one.topology.processes == 4


def recorded_mean(directory: Path, name: str, host: int, key: str) -> float:
    means = json.loads(
        (directory / "tensorboard" / name / f"host_{host}" / "_per_host_means.json").read_text()
    )
    return float(dict(zip(means["keys"], means["means"], strict=True))[key])


def test_figures_of_asynchronous_saves_come_from_the_metrics_that_they_name(
    results: BenchmarkResults, four_processes: Path
) -> None:
    benchmark = results.benchmarks[0]

    def of(key: str) -> list[float]:
        return [recorded_mean(four_processes, benchmark.name, host, key) for host in range(4)]

    def first(key: str) -> float:
        return recorded_mean(four_processes, benchmark.name, 0, key)

    save, wait = of("save::0_basics/time_s"), of("wait_until_finished::0_basics/time_s")
    found = figures(benchmark)
    assert found.save_blocking_s == pytest.approx(max(save))
    assert found.save_total_s == pytest.approx(max(s + w for s, w in zip(save, wait, strict=True)))
    assert found.restore_s == pytest.approx(max(of("restore::0_basics/time_s")))
    assert found.save_gib_per_s == pytest.approx(first("wait_until_finished::4_throughput/save_total_gbps"))
    assert found.restore_gib_per_s == pytest.approx(first("restore::4_throughput/load_total_gbps"))
    per_host = of("restore::4_throughput/load_per_host_gbps")
    assert found.restore_gib_per_s_host == pytest.approx(sum(per_host) / 4)
    assert found.peak_host_gib is not None
    assert 0.1 < found.peak_host_gib < 2


def test_figures_of_one_block_saves(merged_results: BenchmarkResults) -> None:
    asynchronous, _, synchronous, _ = (figures(benchmark) for benchmark in merged_results.benchmarks)
    assert asynchronous.save_blocking_s is not None
    assert asynchronous.save_total_s is not None
    assert asynchronous.save_blocking_s < asynchronous.save_total_s / 2
    assert synchronous.save_blocking_s == synchronous.save_total_s
    assert synchronous.restore_s is not None


def series(operation: str, metric: str, host: int, *values: float | None) -> Series:
    return Series(operation=operation, metric=metric, unit="s", host=host, values=values)


def benchmark_of(*all_series: Series) -> Benchmark:
    return Benchmark(
        name="B_1", generator="pkg.B", options={}, mesh=None, checkpoint={}, repeats=3, series=all_series
    )


def test_slowest_host_per_repeat_then_median_over_repeats() -> None:
    time = "0_basics/time_s"
    found = figures(
        benchmark_of(series("save", time, 0, 1.0, 5.0, 3.0), series("save", time, 1, 2.0, 1.0, None))
    )
    assert found.save_total_s == 3.0  # of 2, 5 and 3


def test_numbered_steps_are_samples_and_failed_ones_are_none() -> None:
    time = "0_basics/time_s"
    found = figures(
        benchmark_of(
            series("save_0", time, 0, 1.0),
            series("save_1", time, 0, 3.0),
            series("wait_until_finished_0", time, 0, 1.0),
            series("wait_until_finished_1", time, 0, 1.0),
            series("restore", time, 0, None),
        )
    )
    assert (found.save_blocking_s, found.save_total_s, found.restore_s) == (2.0, 3.0, None)


def test_mesh_label_shows_what_crosses_slices() -> None:
    axes = {"data": 4, "fsdp": 8, "tensor": 1}
    assert Mesh(axes=axes, ici={}, dcn=None).label == "data4 fsdp8"
    assert Mesh(axes=axes, ici={}, dcn={"data": 2}).label == "dcn:data2 data2 fsdp8"
    assert Mesh(axes={"data": 1}, ici={}).label == "1"


def test_values_are_frozen(results: BenchmarkResults) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        results.run.job_id = "other"  # type: ignore[misc]
