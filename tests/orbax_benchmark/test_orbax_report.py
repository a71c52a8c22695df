from __future__ import annotations

import struct
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tpuherd_orbax_benchmark import plot
from tpuherd_orbax_benchmark.documents import to_json
from tpuherd_orbax_benchmark.figures import figures
from tpuherd_orbax_benchmark.results import BenchmarkResults, Failure, Mesh
from tpuherd_orbax_benchmark.table import render
from tpuherd_orbax_benchmark.text import number

if TYPE_CHECKING:
    from pathlib import Path


def test_table_fits_and_shows_what_differs(merged_results: BenchmarkResults) -> None:
    text = render(merged_results)
    assert max(len(line) for line in text.splitlines()) <= 120
    assert "dcn:data2 fsdp2" in text
    assert "async_enabled=off" in text
    assert "use_ocdbt" not in text  # the same everywhere
    assert "bench-1 attempt 1 · v5litepod-16 us-west4-a · 1 process x 4 cpu · orbax 0.12.8" in text
    assert "note: Benchmark_" in text
    for benchmark in merged_results.benchmarks:
        assert number(figures(benchmark).restore_s) in text


LONG = Mesh(axes={"fully_sharded_data_parallel": 16, "tensor": 4}, ici={}, dcn={"tensor": 4})


@pytest.mark.parametrize("width", [60, 80, 100, 110, 120, 200])
@pytest.mark.parametrize("mesh", [None, LONG])
def test_no_width_loses_a_number(results: BenchmarkResults, width: int, mesh: Mesh | None) -> None:
    benchmarks = tuple(replace(one, mesh=mesh or one.mesh) for one in results.benchmarks)
    text = render(replace(results, benchmarks=benchmarks), width)
    assert max(len(line) for line in text.splitlines()) <= max(width, 80)
    for benchmark in benchmarks:
        found = figures(benchmark)
        assert number(found.save_total_s) in text
        assert number(found.peak_host_gib) in text


def test_failures_are_shown_and_markup_in_names_is_not_interpreted(results: BenchmarkResults) -> None:
    failure = Failure(host=2, repeat=0, text="AssertionError('no')")
    first = replace(
        results.benchmarks[0], failures=(failure,), series=(), checkpoint={"path": "gs://b/[bold]x"}
    )
    process = replace(results.processes[2], exit_code=1)
    text = render(replace(results, benchmarks=(first,), processes=(process,)))
    assert f"failed: {first.name}, host 2, repeat 0: AssertionError('no')" in text
    assert "failed: process 2 on worker-2: exit code 1" in text
    assert "[bold]x" in text.replace("\n", "")
    assert " - " in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0.00123, "0.0012"), (0.354, "0.354"), (1.114, "1.11"), (12.34, "12.3"), (512.3, "512")],
)
def test_numbers_have_three_digits(value: float | None, text: str) -> None:
    assert number(value) == text


def test_plot_is_a_picture(results: BenchmarkResults, tmp_path: Path) -> None:
    path = tmp_path / "results.png"
    plot.draw(results, path)
    header = path.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", header[16:])
    assert width == 1800
    assert height > 400


def test_plot_survives_results_without_any_figure(results: BenchmarkResults, tmp_path: Path) -> None:
    nothing = replace(results.benchmarks[0], series=())
    plot.draw(replace(results, benchmarks=(nothing,)), tmp_path / "nothing.png")
    assert (tmp_path / "nothing.png").stat().st_size > 1000


def test_heavy_modules_are_only_loaded_where_they_are_used(results: BenchmarkResults, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(to_json(results))
    code = """
import sys
from dataclasses import replace
from pathlib import Path
from tpuherd_orbax_benchmark import compare, documents, plot, table
heavy = {"pydantic", "rich", "matplotlib", "numpy", "jax", "orbax"}
assert heavy.isdisjoint(sys.modules), heavy & set(sys.modules)
results = documents.from_json(Path(sys.argv[1]).read_text())
plot.draw(results, Path(sys.argv[1]).with_suffix(".png"))
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code, tmp_path / "r.json"], check=True, timeout=60)
