"""The workload `activations` itself, with real JAX, as a fleet of slices with two workers each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import extracting
import numpy as np
import pytest
import yaml
from herd import output, wait_for

import tpuherd_activations
from tpuherd_activations.worker.claims import Claims, Holder
from tpuherd_activations.worker.places import open_place

ZONES = ["us-east5-a", "us-central1-a"]
MAKE_INPUT = Path(__file__).parents[2] / "examples" / "activations" / "make_input.py"
PATIENCE_S = 300


@pytest.fixture
def jobs(herd, tmp_path):
    """A file with one worker, and one of a fleet; each makes its dataset in a folder of its own."""
    subprocess.run([sys.executable, MAKE_INPUT, tmp_path], check=True)
    rng = np.random.default_rng(5)
    records = [{"ids": rng.integers(1, 250, length).tolist()} for length in rng.integers(1, 120, 40)]
    extracting.write(tmp_path / "in/a.jsonl", records)
    common = {
        "workload": {"kind": "activations"},
        "job": {"env_type": "venv"},
        "venv": {"python": "3.11", "packages": ["jax==0.10.2", "google-crc32c"]},
        "recovery": {
            "budgets": dict.fromkeys(("preempted", "stockout"), "unlimited"),
            "backoff": {"first_s": 0.5, "longest_s": 3},
        },
        "activations": {
            "model": str(tmp_path / "model"),
            "input": str(tmp_path / "in"),
            "hooks": ["blocks.*.hook_resid_post"],
            "form": "tokens",
            "field": "ids",
            "max_length": 128,
            "rows_per_shard": 150,
            "batch_tokens": 256,
            "lease_s": 10,
        },
    }

    def write(name, **more):
        path = tmp_path / f"{name}.yaml"
        path.write_text(yaml.safe_dump({"cloud": "emulator", **common, **more} | place(name)))
        return path

    def place(name):
        return {"output": {"directory": str(tmp_path / f"out-{name}")}}

    spot = {"pricing": "spot", "accelerator": "v5p-16", "zones": ZONES}
    return (
        write("one", tpu={"accelerator": "v5p-8", "zone": ZONES[0]}),
        write("acts", tpu=spot, fleet={"members_per_zone": 2}),
    )


def seen(herd):
    return json.loads(herd.ok("monitor", "acts", "--json", "--once"))["members"]


@pytest.mark.slow(60)
@pytest.mark.timeout(900)
def test_slices_of_two_workers_make_what_one_worker_makes(herd, jobs, tmp_path):
    """One is preempted, and one gets no chips."""
    one, fleet = jobs
    herd.ok("cloud.up")
    herd.ok("run", one, timeout_s=PATIENCE_S)
    (whole,) = (tmp_path / "out-one").iterdir()

    herd.ok("cloud.capacity", ZONES[1], "8", "--generation", "v5p", "--market", "spot")
    target = tmp_path / "out-acts" / whole.name
    claims = Claims(open_place(str(target)), "claims", Holder(job="", worker="test", attempt=1), 10.0)
    assert claims.take("part-000000"), "as long as this is held, there is something left to do"
    running = herd.start("run", fleet, "--json")
    herd.until_says(running, "fleet acts-", PATIENCE_S)

    def at_work():
        return [one for one in seen(herd) if one["total"]] if running.poll() is None else ["it has ended"] * 3

    assert wait_for(lambda: len(at_work()) >= 3, PATIENCE_S), output(running)
    first = at_work()[0]["job"]
    node = next(node["name"] for node in herd.cloud()["nodes"] if first in node["name"])
    herd.ok("cloud.preempt", node, "--notice-s", "0")
    assert wait_for(lambda: "preempted" in herd.ok("events", first, "--kind", "diagnosis"), PATIENCE_S), (
        output(running)
    )
    claims.close()
    assert running.wait(PATIENCE_S) == 0, output(running)

    contents = {path.relative_to(whole): path.read_bytes() for path in whole.rglob("*") if path.is_file()}
    assert len([name for name in contents if name.parts[0] == "manifests"]) > 10
    assert {p.relative_to(target): p.read_bytes() for p in target.rglob("*") if p.is_file()} == contents
    rows = tpuherd_activations.open(target).take(np.arange(len(tpuherd_activations.open(target))))
    assert np.unique(rows.document_ids).tolist() == list(range(40))
    told = json.loads(output(running)[output(running).index("\n{") :])
    assert [one["state"] for one in told["members"]] == ["succeeded"] * 4
    assert [one["job"] for one in told["members"] if one["attempt"] > 1], "the preempted one"
    assert f"rows of 40 documents in {told['totals']['total']} shards" in told["summary"]
    assert told["summary"].partition("\n")[0].endswith(str(target))
    assert herd.cloud()["nodes"] == []

    again = json.loads(herd.ok("run", fleet, "--json"))
    assert again["finished_before"]["address"] == str(target)
    assert {one["fleet"] for one in json.loads(herd.ok("list", "--json"))} == {"", told["fleet"]}
