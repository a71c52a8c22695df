from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from driven import driven, shared

from tpuherd.errors import ProvisionError
from tpuherd_emulator.control.client import Control
from tpuherd_emulator.faults.kinds import KINDS

__all__ = ["driven", "shared"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scenarios"


def test_nobody_without_the_token(shared):
    stranger = Control(replace(shared.info, token="wrong"))
    with stranger, pytest.raises(ProvisionError, match="Bearer"):
        stranger.faults()


def test_a_cloud_that_is_gone(driven):
    gone = replace(driven.info, control_endpoint="127.0.0.1:1")
    with Control(gone) as control, pytest.raises(ProvisionError, match="UNAVAILABLE"):
        control.time()


def test_faults_are_numbered_listed_and_cleared_by_kind(driven):
    first = driven.control.fault("stockout", zone="us-*", count=3)
    second = driven.control.fault("quota", value="zone")
    assert driven.control.faults() == (first, second)
    assert second.id == first.id + 1
    assert driven.control.clear("stockout") == 1
    assert driven.control.faults() == (second,)
    assert driven.control.clear() == 1


def test_each_kind_is_described(shared):
    assert len(KINDS) >= 29
    for kind in KINDS.values():
        assert kind.help.endswith(".")


@pytest.mark.slow
def test_the_command_line(tpuherd_run):
    def run(command, *words, code=0):
        done = tpuherd_run(command, *words)
        assert done.exit_code == code, done.stderr
        return done

    assert "cloud.up" in run("cloud.fault", "stockout", code=10).stderr
    up = ("cloud.up", "--clock", "manual", "--workers", "none", "--create-s", "10..20", "--seed", "3")
    run(*up, "--scenario", str(EXAMPLES / "preempted_once.yaml"), "--json")
    asked = ("cloud.fault", "stockout", "--zone", "us-west4-*", "--count", "2", "--json")
    found = json.loads(run(*asked).stdout)
    assert (found["kind"], found["zone"], found["count"], found["id"]) == ("stockout", "us-west4-*", 2, 1)
    assert "us-west4-*" in run("cloud.faults").stdout
    assert "dirty-device" in run("cloud.faults", "--known").stdout
    assert "did you mean 'stockout'" in run("cloud.fault", "stokout", code=3).stderr
    assert "nothing matches" in run("cloud.preempt", "nobody", code=3).stderr
    assert json.loads(run("cloud.tick", "90", "--json").stdout)["now_s"] == 90
    assert "speed 2" in run("cloud.speed", "2").stdout
    (row,) = json.loads(run("cloud.capacity", "us-west4-a", "16", "--generation", "v5e", "--json").stdout)
    assert (row["chips"], row["generation"]) == (16, "v5e")
    assert "us-west4 " in run("cloud.quota", "us-west4", "32").stdout
    run("cloud.quota", "us-west4", "none")
    assert len(json.loads(run("cloud.limits", "--json").stdout)) == 1
    run("cloud.scenario", str(EXAMPLES / "bad_day.yaml"))
    assert len(json.loads(run("cloud.faults", "--clear", "--json").stdout)) > 3
    assert json.loads(run("cloud.faults", "--json").stdout) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--clock", "sundial"), "real, manual"),
        (("--speed", "0"), "must be greater than 0"),
        (("--speed", "fast"), "write a number"),
        (("--create-s", "5..1"), "LEAST..MOST"),
        (("--queue-s", "soon"), "write seconds"),
        (("--scenario", "nowhere.yaml"), "there is no such file"),
    ],
)
def test_wrong_options_start_nothing(tpuherd_run, tpuherd_home, words, text):
    done = tpuherd_run("cloud.up", *words)
    assert done.exit_code == 3
    assert text in done.stderr
    assert not (tpuherd_home / "emulator").exists()


@pytest.mark.slow
def test_the_fixture_of_tests(tpuherd_cloud):
    tpuherd_cloud.up(clock="manual", workers="none")
    tpuherd_cloud.fault("stockout", zone="us-west4-a", count=1)
    tpuherd_cloud.capacity("us-west4-a", 16, generation="v5e")
    tpuherd_cloud.quota("us-west4", 16)
    tpuherd_cloud.tick(10)
    tpuherd_cloud.clear()
    assert tpuherd_cloud.nodes() == ()
    with pytest.raises(AssertionError, match="nothing matches"):
        tpuherd_cloud.preempt("nobody")
    with pytest.raises(TimeoutError, match="nobody is not READY"):
        tpuherd_cloud.wait_for("nobody", "READY", timeout_s=0.3)
