"""Whole jobs on machines that exist already, through the real command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from clouded import ZONE, eventually

from tpuherd.cloud.client import TpuApi, hang_up
from tpuherd.exit_codes import ExitCode
from tpuherd_emulator.joining import directory, to_cloud, visit
from tpuherd_emulator.lifecycle import status

pytestmark = pytest.mark.slow


class Team:
    """A home with an emulated cloud, in which somebody has made a TPU."""

    def __init__(self, run, folder):
        self.run = run
        self.folder = folder
        self.ok("cloud.up")
        self.api = TpuApi(visit(), ZONE)
        node = {"accelerator_type": "v5litepod-8", "runtime_version": "v2-alpha-tpuv5-lite"}
        self.api.change("create_node", parent=self.api.parent, node_id="theirs", node=node)
        eventually(lambda: self.node().state.name == "READY", 60)

    def node(self):
        return self.api.get("get_node", "nodes/theirs")

    def ok(self, *words):
        done = self.run(*words)
        assert done.exit_code == 0, f"{words}: {done.stdout}\n{done.stderr}"
        return done

    def job(self, name, inventory, cmd="echo here-$TPUHERD_WORKER", cloud="emulator"):
        tpu = {"allocation_mode": "inventory", "accelerator": "v5litepod-8", "zone": ZONE}
        content = {"cloud": cloud, "tpu": tpu, "command": {"cmd": cmd}, "inventory": inventory}
        path = self.folder / f"{name}.yaml"
        path.write_text(yaml.safe_dump(content))
        return path


@pytest.fixture
def team(tpuherd_run, tmp_path):
    made = Team(tpuherd_run, tmp_path)
    yield made
    hang_up()


def test_a_job_on_a_machine_that_somebody_made(team):
    team.ok("tpus.alias", "big", f"theirs@{ZONE}")
    first = team.job("first", {"alias": "big"})
    assert "here-0" in team.ok("run", first).stdout
    assert team.node().state.name == "READY"

    team.ok("provision", "--job", first)
    second = team.job("second", {"match": "v5e"})
    refused = team.run("run", second)
    assert refused.exit_code == ExitCode.CLOUD_REFUSED
    assert "theirs@us-west4-a (v5litepod-8): job first-" in refused.stderr
    team.ok("release", "--job", first)
    assert "here-0" in team.ok("run", second).stdout
    assert team.node().state.name == "READY"


def test_a_controller_that_is_killed_leaves_the_claim_to_the_next(team):
    path = team.job("killed", {"tpu": "theirs"}, cmd="echo begun; sleep 3; echo over")
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tpuherd", "run", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert any("begun" in line for line in process.stdout)
        os.kill(process.pid, signal.SIGKILL)
    other = team.run("run", team.job("other", {"tpu": "theirs"}))
    assert other.exit_code == ExitCode.CLOUD_REFUSED
    assert "job killed-" in other.stderr
    assert "over" in team.ok("resume", "killed").stdout
    team.ok("run", team.job("other", {"tpu": "theirs"}))


def test_own_machines_without_any_cloud(team):
    """The workers of the emulated cloud serve as machines: all that is known of them is in a file."""
    info = status(directory()).info
    host = {"address": team.node().network_endpoints[0].ip_address}
    piece = {"name": "lab-a", "accelerator": "v5litepod-8", "workers": [host]}
    (team.folder / "hosts.yaml").write_text(yaml.safe_dump({"slices": [piece]}))
    cloud = to_cloud(info)
    ssh = {"user": cloud.ssh.user, "identity_file": cloud.ssh.private_key, "port": cloud.ssh.port}
    path = team.job("own", {"file": "hosts.yaml", "ssh": ssh}, cloud="inventory")
    done = json.loads(team.ok("run", path, "--json").stdout)
    assert done["state"] == "succeeded"
    assert "here-0" in team.ok("logs", "own").stdout
    assert team.node().state.name == "READY"

    lost = team.job(
        "lost", {"file": "hosts.yaml", "ssh": {**ssh, "identity_file": "~/none"}}, cloud="inventory"
    )
    refused = team.run("run", lost)
    assert refused.exit_code == ExitCode.CLOUD_REFUSED
    assert "lab-a (v5litepod-8)" in refused.stderr
    assert str(Path("~/none").expanduser()) in refused.stderr
    assert json.loads(team.ok("status", "lost", "--json").stdout)["state"] == "failed"


def test_what_a_job_put_around_its_work_is_gone_from_the_machine(team):
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(team.folder / "id_lab")], check=True
    )
    team.ok("tpus.alias", "big", f"theirs@{ZONE}")
    path = team.job("keys", {"alias": "big"}, cmd="ls ~/.ssh; cat ~/ran")
    more = {
        "ssh": {"identities": [{"private_key": {"file": "id_lab"}, "config_entry": "Host x\n  Port 5\n"}]},
        "setup": {"scripts": [{"run": "echo ran >> ~/ran"}]},
    }
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | more))
    home = next(directory().glob("workers/*theirs-w0/home"))

    done = team.ok("run", path, "--keep")

    for text in ("id_lab", "tpuherd_config", "ran"):
        assert f"│ {text}\n" in done.stdout
    assert (home / ".ssh" / "id_lab").exists(), "the job keeps the machine"
    team.ok("release", "--job", path)
    assert list((home / ".ssh").iterdir()) == []
    assert team.node().state.name == "READY"
