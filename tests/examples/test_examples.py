"""The job files in `examples/`, run as the README says: real uv, real JAX, Orbax's own benchmark."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PNG = b"\x89PNG\r\n\x1a\n"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def demo(tpuherd_run):
    return tpuherd_run("run", EXAMPLES / "orbax_benchmark.yaml", timeout_s=800)


def test_the_demo(demo, tpuherd_run, tpuherd_home):
    """One test, because one run takes most of a minute."""
    assert demo.exit_code == 0, demo.stderr + demo.stdout[-4000:]

    for worker in range(4):
        assert re.search(rf"^w{worker}  │ ", demo.stdout, re.MULTILINE)
    assert "PyTreeCheckpoint" in demo.stdout.partition("results: ")[0].splitlines()[-3]
    split = re.search(
        r"time: ([\d.]+) s = workload ([\d.]+) \+ environment ([\d.]+) \+ tpuherd ([\d.]+)", demo.stderr
    )
    total, *parts = map(float, split.groups())
    assert total == pytest.approx(sum(parts), abs=0.2)

    (folder,) = tpuherd_home.glob("jobs/*/attempt-1/results")
    results = json.loads((folder / "results.json").read_text())
    assert results["topology"]["processes"] == 4
    assert results["topology"]["devices"] == 16
    assert results["warnings"] == []
    assert results["versions"]["orbax-checkpoint"] == "0.12.8"
    assert [process["exit_code"] for process in results["processes"]] == [0, 0, 0, 0]
    assert len(results["benchmarks"]) == 2
    rows = list(csv.DictReader((folder / "results.csv").read_text().splitlines()))
    assert {row["operation"] for row in rows} >= {"save", "restore"}
    assert {row["host"] for row in rows} == {"0", "1", "2", "3"}
    assert (folder / "results.png").read_bytes().startswith(PNG)
    assert len(list(folder.glob("tensorboard/*/host_*/events.out.tfevents.*"))) == 8

    same = tpuherd_run("results.compare", "orbax-benchmark", folder, "--fail-above", "1.1")
    assert same.exit_code == 0, same.stderr
    halved = json.loads((folder / "results.json").read_text())
    for benchmark in halved["benchmarks"]:
        for series in benchmark["series"]:
            if series["metric"].endswith("time_s"):
                series["values"] = [value * 2 for value in series["values"]]
    slower = tpuherd_home / "slower.json"
    slower.write_text(json.dumps(halved))
    assert tpuherd_run("results.compare", folder, slower, "--fail-above", "1.1").exit_code == 11
    assert tpuherd_run("results.compare", slower, folder, "--fail-above", "1.1").exit_code == 0

    cloud = json.loads(tpuherd_run("cloud.status", "--json").stdout)
    assert cloud == {"running": False, "info": None, "users": [], "nodes": []}


def test_jax_finds_its_neighbours_by_itself(tpuherd_run):
    done = tpuherd_run("run", EXAMPLES / "jax_devices.yaml", timeout_s=800)
    assert done.exit_code == 0, done.stderr + done.stdout[-4000:]
    said = {line for line in done.stdout.splitlines() if line.endswith(" 16")}
    assert said == {f"w{worker}  │ {worker} 16" for worker in range(4)}


def test_a_config_that_orbax_does_not_ship(tpuherd_run):
    job = EXAMPLES / "orbax_benchmark.yaml"
    done = tpuherd_run(
        "run", job, "--override", "orbax_benchmark.config=pytree_checkpoint_benchmrk", timeout_s=800
    )
    assert done.exit_code == 8
    assert "pytree_checkpoint_benchmark" in done.stderr
