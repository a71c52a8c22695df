"""The worker side as a program. What needs Orbax's harness is skipped where the interpreter lacks it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tpuherd_orbax_benchmark import worker
from tpuherd_orbax_benchmark.documents import from_collected
from tpuherd_orbax_benchmark.figures import figures
from tpuherd_orbax_benchmark.results import Run

RUN = Run(job_id="bench-1", attempt=1, accelerator="v5litepod-4", zone="us-west4-a")

CONFIG = """
suite_name: small
num_repeats: 2
mesh_configs:
  - {mesh_axes: [data, fsdp], ici_parallelism: {data: 2, fsdp: 2}}
  - {mesh_axes: [data, fsdp], ici_parallelism: {fsdp: 2}, dcn_parallelism: {data: 2}}
checkpoint_config: {spec: {a: {dtype: float32, shape: [64, 64], sharding: [fsdp, null]}}}
benchmarks:
  - generator: orbax.checkpoint._src.testing.benchmarks.v1.benchmark.Benchmark
    options: {use_zarr3: true}
"""
"""Two meshes that the harness gives one name."""


def call(program: list[str], *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
    environment = {**kept, "JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": "4", **variables}
    return subprocess.run([*program, *words], capture_output=True, text=True, timeout=200, env=environment)


def run_words(config: str | Path, output: Path, processes: int, devices: int) -> list[str]:
    return [
        "run",
        "--config",
        str(config),
        "--output_directory",
        str(output),
        "--processes",
        str(processes),
        "--devices",
        str(devices),
    ]


@pytest.fixture(scope="module")
def harness(interpreter: str) -> None:
    """Skip where the harness cannot be imported."""
    probe = "import orbax.checkpoint._src.testing.benchmarks.run_benchmarks"
    ended = subprocess.run([interpreter, "-c", probe], capture_output=True, text=True, timeout=120)
    if ended.returncode != 0:
        reason = ended.stderr.strip().splitlines()[-1]
        pytest.skip(f"{interpreter} has no Orbax harness ({reason}): set TPUHERD_TEST_ORBAX_PYTHON")


def test_only_the_standard_library_of_python_3_10_and_the_harness_are_needed() -> None:
    in_functions = {"jax", "orbax", "yaml"}
    for path in Path(worker.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text(), feature_version=(3, 10))
        imported = {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }
        imported |= {str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level == 0}
        assert {module.split(".")[0] for module in imported} <= sys.stdlib_module_names | in_functions, (
            path.name
        )


@pytest.mark.parametrize(
    "words", [[], ["walk"], ["run"], ["run", "--config", "x"], ["collect"], ["collect", "a", "b"]]
)
def test_wrong_words(program: list[str], words: list[str]) -> None:
    ended = call(program, *words)
    assert ended.returncode == 64
    assert ended.stderr.startswith("tpuherd: ")


def test_unknown_config(program: list[str], tmp_path: Path) -> None:
    ended = call(program, *run_words("nothing_like_it", tmp_path / "out", 1, 4))
    assert ended.returncode == 64
    assert "config 'nothing_like_it': no such file" in ended.stderr
    assert not (tmp_path / "out").exists()


def test_environment_without_the_harness(program: list[str], interpreter: str, tmp_path: Path) -> None:
    config = tmp_path / "small.yaml"
    config.write_text(CONFIG)
    bare = [sys.executable if word == interpreter else word for word in program]
    bare.insert(bare.index("-m"), "-S")  # no site-packages, so that the harness is surely missing
    ended = call(bare, *run_words(config, tmp_path / "out", 1, 4))
    assert ended.returncode == 69
    assert ended.stderr.startswith("tpuherd: this environment cannot run Orbax's benchmarks: No module named")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("harness")
@pytest.mark.parametrize("text", ["benchmarks: [", "3"])
def test_broken_config(program: list[str], tmp_path: Path, text: str) -> None:
    config = tmp_path / "broken.yaml"
    config.write_text(text)
    ended = call(program, *run_words(config, tmp_path / "out", 1, 4))
    assert ended.returncode == 64
    assert f"tpuherd: config '{config}': " in ended.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("harness")
@pytest.mark.parametrize(
    ("promised", "variables", "found"),
    [
        ((4, 16), {"JAX_NUM_PROCESSES": "2", "JAX_PROCESS_ID": "0"}, "JAX_NUM_PROCESSES is 2"),
        ((2, 8), {}, "jax.distributed.initialize failed: "),
        ((1, 8), {}, "found 1 process(es) and 4 device(s)"),
    ],
)
def test_wrong_topology_ends_at_once(
    program: list[str], tmp_path: Path, promised: tuple[int, int], variables: dict[str, str], found: str
) -> None:
    config = tmp_path / "small.yaml"
    config.write_text(CONFIG)
    words = run_words(config, tmp_path / "out", *promised)
    ended = call(program, *words, JAX_COORDINATOR_ADDRESS="127.0.0.1:1" if variables else "", **variables)
    assert ended.returncode == 65
    assert f"expected {promised[0]} process(es) and {promised[1]} device(s), {found}" in ended.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("harness")
def test_one_process_runs_and_its_results_can_be_read(program: list[str], tmp_path: Path) -> None:
    config, output = tmp_path / "small.yaml", tmp_path / "out"
    config.write_text(CONFIG)
    ended = call(program, *run_words(config, output, 1, 4), "--", "--remove_repeated_dir")
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert "one process, no cluster joined" in ended.stderr
    collected = call(program, "collect", output)
    results = from_collected(collected.stdout, RUN)
    assert [b.mesh and b.mesh.dcn for b in results.benchmarks] == [None, {"data": 2}]
    assert len(results.warnings) == 1  # the merged name, and no contradiction of the harness's own means
    assert results.config.text == CONFIG
    assert all(figures(b).save_gib_per_s for b in results.benchmarks)
    assert not list(output.glob("Benchmark_*/repeat_*"))  # the flag after -- arrived


@pytest.mark.slow
@pytest.mark.usefixtures("harness")
def test_failed_suite_leaves_its_record(program: list[str], tmp_path: Path) -> None:
    config, output = tmp_path / "small.yaml", tmp_path / "out"
    config.write_text(CONFIG.replace("fsdp: 2", "fsdp: 3"))
    ended = call(program, *run_words(config, output, 1, 4))
    assert ended.returncode == 1
    assert "No compatibile meshes found" in ended.stderr
    record = json.loads((output / "provenance/process_0.json").read_text())
    assert (record["exit_code"], record["benchmarks"]) == (1, [])
