"""Ctrl-C while a fleet is shown, and a second `run` of the same file."""

from __future__ import annotations

import json
import os
import signal

import pytest
from herd import ZONE, output, wait_for

pytestmark = pytest.mark.slow


@pytest.fixture
def file(herd):
    herd.ok("cloud.up")
    return herd.job("sleep 1000", name="acts", fleet={"members_per_zone": 2})


def test_a_fleet_is_left_found_again_and_cancelled(herd, file):
    first = herd.start("run", file, "--on-interrupt", "detach")
    herd.until_says(first, f"w001: run_workload in {ZONE}", 150)
    first.send_signal(signal.SIGINT)
    assert first.wait(60) == 12
    assert "detached; follow with `tpuherd monitor acts-" in output(first)
    before = json.loads(herd.ok("list", "--fleet", "acts", "--json"))
    assert [one["state"] for one in before] == ["live"] * 2

    supervisor = json.loads(herd.ok("supervise", "--status", "--json"))["pid"]
    second = herd.start("run", file, "--json")
    herd.until_says(second, f"w001: run_workload in {ZONE}", 150)
    os.kill(supervisor, signal.SIGKILL)
    assert wait_for(lambda: "" not in drivers(herd) and not drivers(herd) & {before[0]["driven_by"]}, 150)
    second.send_signal(signal.SIGINT)
    assert second.wait(150) == 130, output(second)
    told = json.loads(output(second)[output(second).index("\n{") :])
    assert [one["state"] for one in told["members"]] == ["cancelled"] * 2
    assert [one["job"] for one in told["members"]] == [one["job"] for one in before]
    assert herd.cloud()["nodes"] == []
    assert len(herd.operations("create")) == 2, "none was doubled"
    assert herd.ends_with(0, "cancel", "acts").stderr
    herd.ok("delete", "acts")


def drivers(herd):
    return {one["driven_by"] for one in json.loads(herd.ok("list", "--fleet", "acts", "--json"))}
