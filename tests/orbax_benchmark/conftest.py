"""Two real runs of Orbax's harness, recorded: 4 processes x 4 CPU devices, and two meshes under one name."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
from pathlib import Path

import pytest

from tpuherd_orbax_benchmark import worker
from tpuherd_orbax_benchmark.documents import from_collected
from tpuherd_orbax_benchmark.results import BenchmarkResults, Run
from tpuherd_orbax_benchmark.worker.collect import collect

PACKAGE = "tpuherd_orbax_worker"
PYTHON = os.environ.get("TPUHERD_TEST_ORBAX_PYTHON", sys.executable)
"""An interpreter with jax, orbax-checkpoint, clu, tensorflow and tensorboard; the tests' own if not set."""
DATA = Path(__file__).parent / "data"
RUN = Run(
    job_id="bench-1",
    attempt=1,
    accelerator="v5litepod-16",
    zone="us-west4-a",
    commit="0123456789abcdef",
    dirty=True,
)


def unpack(name: str, target: Path) -> Path:
    with tarfile.open(DATA / f"{name}.tar.gz") as archive:
        archive.extractall(target, filter="data")
    return target / name


@pytest.fixture
def four_processes(tmp_path: Path) -> Path:
    return unpack("four_processes", tmp_path)


@pytest.fixture
def merged_names(tmp_path: Path) -> Path:
    return unpack("merged_names", tmp_path)


@pytest.fixture
def results(four_processes: Path) -> BenchmarkResults:
    return from_collected(json.dumps(collect(four_processes)), RUN)


@pytest.fixture
def merged_results(merged_names: Path) -> BenchmarkResults:
    return from_collected(json.dumps(collect(merged_names)), RUN)


@pytest.fixture
def program(tmp_path: Path) -> list[str]:
    """The words that run the worker side: copied alone into a folder, as on a worker."""
    folder = tmp_path / "attempt"
    shutil.copytree(
        Path(worker.__file__).parent, folder / PACKAGE, ignore=shutil.ignore_patterns("__pycache__")
    )
    return ["env", f"PYTHONPATH={folder}", PYTHON, "-m", PACKAGE]


@pytest.fixture(scope="session")
def interpreter() -> str:
    """The interpreter that plays the worker's."""
    return PYTHON
