"""One file, eight spot slices in two zones, and everything that goes wrong with them: the same dataset."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import extracting
import extracting_member
import pytest
from herd import output, wait_for

from tpuherd_activations.worker.claims import Claims, Holder
from tpuherd_activations.worker.places import open_place
from tpuherd_emulator.info import load

ZONES = ["us-west4-a", "us-central1-a"]
SCRIPT = extracting_member.__file__
PATIENCE_S = 240


@pytest.fixture
def bucket(herd, monkeypatch):
    """A bucket of the test's own cloud, which has chips for three members in the second zone."""
    herd.ok("cloud.up")
    herd.ok("cloud.capacity", ZONES[1], "24", "--generation", "v5e", "--market", "spot")
    info = load(herd.home / "emulator" / "cloud.json")
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", info.worker_variables["STORAGE_EMULATOR_HOST"])
    from google.cloud import storage

    storage.Client().create_bucket("fleet-data")
    return "gs://fleet-data"


def fleet_file(herd, source, target):
    sure = dict.fromkeys(("preempted", "hung", "stockout", "unknown", "host-fault"), "unlimited")
    return herd.job(
        f"exec {sys.executable} {SCRIPT} {source} {target}",
        name="acts",
        tpu={"accelerator": "v5litepod-8", "zones": ZONES, "pricing": "spot"},
        fleet={"members_per_zone": 4},
        detection={"hung_after_s": 15},
        recovery={"budgets": sure, "backoff": {"first_s": 0.5, "longest_s": 3}},
    )


def seen(herd):
    return json.loads(herd.ok("monitor", "acts", "--json", "--once"))


def at_work(herd):
    """Members whose workload has said how far it is."""
    return [one for one in seen(herd)["members"] if one["stage"] == "run_workload" and one["total"]]


def node_of(herd, member):
    return next(node["name"] for node in herd.cloud()["nodes"] if member in node["name"])


def freeze(member):
    """Stop the work of a member, and nothing else."""
    stopped = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words, variables = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        if SCRIPT.encode() in words and f"TPUHERD_JOB_ID={member}\0".encode() in variables:
            os.kill(int(folder.name), signal.SIGSTOP)
            stopped.append(folder.name)
    assert stopped, f"no work of {member} runs"


def diagnoses(herd, member):
    return [one["text"] for one in json.loads(herd.ok("events", member, "--kind", "diagnosis", "--json"))]


def contents(address):
    place = open_place(address)
    return {name: place.find(name) for name in place.names()}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_preempted_hung_and_without_capacity_the_dataset_is_the_same(herd, bucket, tmp_path):
    extracting.write(tmp_path / "in/stream_000.jsonl", extracting.documents(70))
    whole = extracting.extract(str(tmp_path / "in"), str(tmp_path / "whole"))
    there = open_place(f"{bucket}/in")
    assert there.create("stream_000.jsonl", (tmp_path / "in/stream_000.jsonl").read_bytes())
    target = f"{bucket}/out/{Path(whole).name}"
    claims = Claims(open_place(target), "claims", Holder(job="", worker="test", attempt=1), 10.0)
    assert claims.take("part-000000"), "as long as this is held, there is something left to do"

    file = fleet_file(herd, f"{bucket}/in", f"{bucket}/out")
    running = herd.start("run", file, "--json")
    herd.until_says(running, "fleet acts-", PATIENCE_S)
    assert wait_for(lambda: running.poll() is not None or len(at_work(herd)) >= 6, PATIENCE_S), output(
        running
    )
    members = at_work(herd)
    assert len(members) >= 6, output(running)
    assert len([one for one in members if one["zone"] == ZONES[1]]) <= 3
    *preempted, hung = [one["job"] for one in members[:4]]
    for member in preempted:
        herd.ok("cloud.preempt", node_of(herd, member), "--notice-s", "0")
    freeze(hung)
    assert herd.ok("create", file).strip() == seen(herd)["fleet"], "it is there already, and is not doubled"

    for member, failure in ((hung, "hung"), *((one, "preempted") for one in preempted)):
        assert wait_for(
            lambda member=member, failure=failure: any(failure in text for text in diagnoses(herd, member)),
            PATIENCE_S,
        ), (member, output(running))
    waiting = [one for one in seen(herd)["members"] if not one["step"]]
    claims.close()
    assert running.wait(PATIENCE_S) == 0, output(running)

    assert contents(target) == contents(whole)
    told = json.loads(output(running)[output(running).index("\n{") :])
    assert len(told["members"]) == 8
    assert {one["state"] for one in told["members"]} == {"succeeded"}
    assert told["totals"]["step"] == told["totals"]["total"] > 15
    assert told["totals"]["counts"]["shards"] >= told["totals"]["total"] - 5, (
        "what died unheard is not counted"
    )
    assert (told["healthy"], told["needs_recovery"]) == (8, 0)
    assert waiting, "a member that got no chips was ended with the others"
    assert herd.cloud()["nodes"] == []
    shown = herd.ok("monitor", "acts")
    assert "tokens/s" in shown
    assert "totals" in shown
    herd.ok("delete", "acts")
    assert herd.ok("list", "--json").strip() == "[]"
