"""`benchmarks/provision.py`: the shape of its report, and how API calls grow; never how long it took."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "provision.py"
PHASES = {"create", "list_all_zones", "list_named_zones", "delete"}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TPUHERD_")}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--quick"],
        env=environment | {"TMPDIR": str(tmp_path_factory.mktemp("benchmark"))},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    assert "8 slices, 2 zones: delete" in done.stderr
    return json.loads(done.stdout)


def test_every_case_has_its_phases_with_calls_times_and_memory(report):
    assert [(case["slices"], case["zones"]) for case in report["cases"]] == [(4, 1), (4, 2), (8, 1), (8, 2)]
    for case in report["cases"]:
        assert set(case["phases"]) == PHASES
        for phase in case["phases"].values():
            assert phase["api_calls"] == sum(phase["by_method"].values()) > 0
            assert min(phase["wall_s"], phase["cpu_s"]) >= 0
            assert phase["peak_memory_mib"] > 1


def test_listings_grow_with_zones_and_not_with_slices(report):
    for case in report["api_calls"]:
        assert case["calls_to_list_all_zones"] == 2
        assert case["calls_to_list_named_zones"] == 2 * case["zones"]


def test_each_slice_is_created_by_two_calls_and_deleted_by_three_and_waited_for_by_listings(report):
    for case in report["cases"]:
        created, deleted = (case["phases"][phase]["by_method"] for phase in ("create", "delete"))
        assert (created["CreateNode"], created["GetNode"]) == (case["slices"], case["slices"])
        assert (deleted["DeleteNode"], deleted["GetNode"]) == (case["slices"], 2 * case["slices"])
        for calls in (created, deleted):
            assert set(calls) <= {"CreateNode", "DeleteNode", "GetNode", "ListNodes", "ListQueuedResources"}


def test_gcloud_is_compared_where_it_is_installed(report):
    commands = report["commands"]
    assert {name: phase["commands"] for name, phase in commands["tpuherd"].items()} == {
        "create": 1,
        "list": 1,
        "delete": 1,
    }
    if shutil.which("gcloud") is None:
        assert report["gcloud_over_tpuherd"] is None
        assert commands["gcloud"] == "left out: it is not installed"
        pytest.skip("gcloud is not installed: nothing to compare with")
    assert set(report["gcloud_over_tpuherd"]) == {"create", "list", "delete"}
    for ratio in report["gcloud_over_tpuherd"].values():
        assert ratio["cpu_s"] > 0
        assert ratio["wall_s"] > 0
