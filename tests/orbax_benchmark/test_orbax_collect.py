from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tpuherd_orbax_benchmark.worker.collect import NothingToCollectError, collect

if TYPE_CHECKING:
    from pathlib import Path


def series_of(benchmark: dict[str, Any], operation: str, metric: str) -> dict[int, list[float]]:
    return {
        one["host"]: one["values"]
        for one in benchmark["series"]
        if (one["operation"], one["metric"]) == (operation, metric)
    }


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_document_of_four_processes(four_processes: Path) -> None:
    document = collect(four_processes)
    assert document["warnings"] == []
    assert document["topology"] == {
        "processes": 4, "devices": 16, "local_devices": 4, "device_kind": "cpu", "platform": "cpu"
    }  # fmt: skip
    assert [p["index"] for p in document["processes"]] == [0, 1, 2, 3]
    assert [b["options"]["use_zarr3"] for b in document["benchmarks"]] == [True, False]
    for benchmark in document["benchmarks"]:
        assert benchmark["mesh"]["ici"] == {"tensor": 16, "data": 1}
        times = series_of(benchmark, "save", "0_basics/time_s")
        assert sorted(times) == [0, 1, 2, 3]
        assert all(len(values) == 1 and values[0] > 0 for values in times.values())
        assert sorted(series_of(benchmark, "all", "7_memory/host_peak_rss_gb")) == [0, 1, 2, 3]


def test_two_meshes_with_one_name_are_told_apart_and_reported(merged_names: Path) -> None:
    document = collect(merged_names)
    benchmarks = document["benchmarks"]
    assert [b["mesh"]["dcn"] for b in benchmarks] == [None, {"data": 2}, None, {"data": 2}]
    assert benchmarks[0]["name"] == benchmarks[1]["name"] != benchmarks[2]["name"]
    times = [series_of(b, "save", "0_basics/time_s")[0] for b in benchmarks]
    assert [len(values) for values in times] == [2, 2, 2, 2]
    assert times[0] != times[1]
    (warning,) = document["warnings"]
    assert warning.startswith(f"{benchmarks[0]['name']}, {benchmarks[2]['name']}: the harness gave each")


def test_program_prints_the_same_document(four_processes: Path, program: list[str]) -> None:
    ended = subprocess.run([*program, "collect", four_processes], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == collect(four_processes)


def test_missing_process_and_missing_events_are_reported(four_processes: Path) -> None:
    (four_processes / "provenance/process_2.json").unlink()
    folder = next(four_processes.glob("tensorboard/*_140358dca568"))
    shutil.rmtree(folder / "host_3")
    warnings = collect(four_processes)["warnings"]
    assert "process 2 left no record: it did not reach its end" in warnings
    assert f"{folder.name}, host 3: no event file, its results are missing" in warnings


def test_suite_that_was_cut_off_is_reported(four_processes: Path) -> None:
    path = next(four_processes.glob("tensorboard/*_140358dca568/host_1/events.*"))
    path.write_bytes(path.read_bytes()[:-3])
    (path.parent / "_per_host_means.json").unlink()
    warnings = collect(four_processes)["warnings"]
    assert any("host 1: the event file ends in the middle of a record" in w for w in warnings)
    assert any("host 1: the harness wrote no _per_host_means.json" in w for w in warnings)


def test_values_that_the_harness_contradicts_are_reported(four_processes: Path) -> None:
    path = next(four_processes.glob("tensorboard/*_140358dca568/host_0/_per_host_means.json"))
    means = json.loads(path.read_text())
    means["means"][means["keys"].index("save::0_basics/time_s")] = 123.0
    path.write_text(json.dumps(means))
    (warning,) = collect(four_processes)["warnings"]
    assert "save::0_basics/time_s is 0." in warning
    assert "123.0" in warning


def test_workers_that_differ_and_peaks_that_add_up_are_reported(four_processes: Path) -> None:
    edit(four_processes / "provenance/process_3.json", versions={"jax": "0.0.1"}, peaks_reset=False)
    warnings = collect(four_processes)["warnings"]
    assert "process 3: its versions differ from those of the first process" in warnings
    assert any(w.startswith("peak host memory is the highest since the process started") for w in warnings)


def test_nothing_to_collect(tmp_path: Path, program: list[str]) -> None:
    with pytest.raises(NothingToCollectError, match="no process got as far"):
        collect(tmp_path)
    ended = subprocess.run([*program, "collect", tmp_path], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (66, "")
    assert "no provenance" in ended.stderr
