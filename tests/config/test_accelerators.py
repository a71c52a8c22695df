from __future__ import annotations

import subprocess
import sys

import pytest

from tpuherd.accelerators import names, resolve
from tpuherd.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "chips", "workers", "per_worker", "runtime"),
    [
        ("v2-8", 4, 1, 4, "tpu-ubuntu2204-base"),
        ("v3-2048", 1024, 256, 4, "tpu-ubuntu2204-base"),
        ("v4-8", 4, 1, 4, "tpu-ubuntu2204-base"),
        ("v4-32", 16, 4, 4, "tpu-ubuntu2204-base"),
        ("v4-128", 64, 16, 4, "tpu-ubuntu2204-base"),
        ("v4-8192", 4096, 1024, 4, "tpu-ubuntu2204-base"),
        ("v5litepod-1", 1, 1, 1, "v2-alpha-tpuv5-lite"),
        ("v5litepod-8", 8, 1, 8, "v2-alpha-tpuv5-lite"),
        ("v5litepod-16", 16, 4, 4, "v2-alpha-tpuv5-lite"),
        ("v5litepod-256", 256, 64, 4, "v2-alpha-tpuv5-lite"),
        ("v5p-8", 4, 1, 4, "v2-alpha-tpuv5"),
        ("v5p-12288", 6144, 1536, 4, "v2-alpha-tpuv5"),
        ("v6e-4", 4, 1, 4, "v2-alpha-tpuv6e"),
        ("v6e-8", 8, 1, 8, "v2-alpha-tpuv6e"),
        ("v6e-256", 256, 64, 4, "v2-alpha-tpuv6e"),
        ("tpu7x-2", 1, 1, 1, ""),
        ("tpu7x-128", 64, 16, 4, ""),
    ],
)
def test_type_to_chips_and_workers(name, chips, workers, per_worker, runtime):
    found = resolve(name)
    assert (found.name, found.chips, found.workers, found.chips_per_worker) == (
        name,
        chips,
        workers,
        per_worker,
    )
    assert found.runtime_version == runtime


def test_every_type_is_consistent():
    for name in names():
        found = resolve(name)
        sides = [int(side) for side in found.topology.split("x")]
        assert found.workers * found.chips_per_worker == found.chips
        assert found.workers >= 1
        product = 1
        for side in sides:
            product *= side
        assert product == found.chips
        assert found.gke_only == (found.generation == "tpu7x") == (not found.runtime_version)


@pytest.mark.parametrize(
    ("name", "topology"),
    [("v4-16", "2x2x2"), ("v4-384", "4x4x12"), ("v5p-640", "4x4x20"), ("v5p-1408", "4x4x44"),
     ("v5p-12288", "16x16x24"), ("v5p-3456", "12x12x12"), ("v6e-32", "4x8"), ("v2-512", "16x16")],
)  # fmt: skip
def test_documented_topologies(name, topology):
    assert resolve(name).topology == topology


def test_alias():
    assert resolve("v5e-16") == resolve("v5litepod-16")


@pytest.mark.parametrize(
    ("name", "helps"),
    [
        ("v4-100", "nearest: v4-64 and v4-128"),
        ("v4-4", "nearest: v4-8;"),
        ("v6e-2", "nearest: v6e-1 and v6e-4"),
        ("v6e-0", "nearest: v6e-1;"),
        ("v5e-17", "nearest: v5litepod-16 and v5litepod-32"),
        ("v5p-8576", "nearest: v5p-8448 and v5p-8704"),
        ("v2-1024", "nearest: v2-512;"),
        ("v5lite-16", "did you mean 'v5litepod-16'?"),
        ("V4-8", "did you mean 'v4-8'?"),
        ("v4", "did you mean 'v4-8'?"),
        ("a100", "valid: v2-N, v3-N, v4-N"),
        ("", "valid: v2-N"),
        ("v4--8", "did you mean 'v4-8'?"),
        ("v4-8; rm", "did you mean 'v4-8'?"),
    ],
)
def test_wrong_types_name_the_nearest(name, helps):
    with pytest.raises(ConfigError) as caught:
        resolve(name)
    assert repr(name) in str(caught.value)
    assert helps in str(caught.value)


def test_nothing_heavy_is_imported():
    code = (
        "import sys, tpuherd.accelerators, tpuherd.prices\n"
        "print({'pydantic', 'omegaconf', 'yaml', 'rich', 'grpc'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.strip() == "set()", ran.stderr


def expected_chips_and_workers(name):
    """The rule of the documentation: cores or chips in the name, four chips per VM, eight at most in one."""
    kind, _, number = name.rpartition("-")
    size = int(number)
    if kind in {"v5litepod", "v6e"}:
        return size, 1 if size <= 8 else size // 4
    return size // 2, 1 if name == "tpu7x-2" else size // 8


def test_every_type_follows_the_rule_of_its_generation():
    wrong = {name: (found.chips, found.workers) for name in names() if (found := resolve(name))
             and (found.chips, found.workers) != expected_chips_and_workers(name)}  # fmt: skip
    assert wrong == {}
