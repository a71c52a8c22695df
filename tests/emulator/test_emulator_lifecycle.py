from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from emulated import FAST, Cloud, eventually

from tpuherd.errors import ProvisionError
from tpuherd_emulator import lifecycle
from tpuherd_emulator.layout import CLOUD_MARKER, WORKER_MARKER
from tpuherd_emulator.lifecycle import EmulatorOptions
from tpuherd_emulator.processes import marked


@pytest.fixture
def directory(tmp_path):
    yield tmp_path / "cloud"
    lifecycle.down(tmp_path / "cloud")


def worker_processes(directory):
    return [
        process for folder, process in marked(WORKER_MARKER) if Path(folder).parent == directory / "workers"
    ]


def test_up_is_idempotent_and_private(directory):
    first = lifecycle.up(directory, FAST)
    assert lifecycle.up(directory, EmulatorOptions(create_s=9)) == first
    assert stat.S_IMODE((directory / "cloud.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(first.private_key).stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert first.token not in repr(first)


def test_two_at_once_get_one_cloud(directory):
    script = (
        "import sys; from pathlib import Path; from tpuherd_emulator.lifecycle import up, EmulatorOptions\n"
        "print(up(Path(sys.argv[1]), EmulatorOptions()).pid)"
    )
    command = [sys.executable, "-c", script, str(directory)]
    with ThreadPoolExecutor() as pool:
        pids = list(pool.map(lambda _: subprocess.check_output(command, timeout=60), range(3)))
    assert len(set(pids)) == 1
    assert len([root for root, _ in marked(CLOUD_MARKER) if root == str(directory)]) == 1


def test_status_shows_nodes_and_down_removes_everything(directory):
    cloud = Cloud(directory, lifecycle.up(directory, FAST))
    cloud.node("abc", "v5litepod-16")
    (node,) = lifecycle.status(directory).nodes
    assert (node.name, node.zone, node.accelerator, node.state, node.workers) == (
        "abc", "us-central1-a", "v5litepod-16", "READY", 4,
    )  # fmt: skip
    assert worker_processes(directory)
    assert any("daemon" in sentence for sentence in lifecycle.down(directory))
    assert not worker_processes(directory)
    assert not (directory / "workers").exists()
    assert not lifecycle.status(directory).running
    assert lifecycle.down(directory) == ()


@pytest.mark.parametrize("backend", ["auto", "none+sshd", "none+builtin"])
def test_down_cleans_what_a_killed_daemon_left(directory, backend):
    cloud = Cloud(directory, lifecycle.up(directory, EmulatorOptions(create_s=0, backend=backend)))
    address = cloud.node().network_endpoints[0].ip_address
    cloud.ssh(address, "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo started")
    os.kill(cloud.info.pid, signal.SIGKILL)
    eventually(lambda: not lifecycle.status(directory).running)
    said = lifecycle.down(directory)
    assert any("n-w0" in sentence for sentence in said)
    assert not worker_processes(directory)
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((address, cloud.info.ssh_port), timeout=1)


def test_up_after_a_killed_daemon_starts_a_clean_one(directory):
    cloud = Cloud(directory, lifecycle.up(directory, FAST))
    cloud.node()
    os.kill(cloud.info.pid, signal.SIGKILL)
    eventually(lambda: not lifecycle.status(directory).running)
    again = lifecycle.up(directory, FAST)
    assert again.pid != cloud.info.pid
    assert lifecycle.status(directory).nodes == ()
    assert list((directory / "workers").iterdir()) == []
    assert again.public_key == cloud.info.public_key


def test_a_reused_pid_is_neither_running_nor_killed(directory):
    lifecycle.up(directory, FAST)
    info = directory / "cloud.json"
    text = info.read_text()
    lifecycle.down(directory)
    bystander = subprocess.Popen(["sleep", "100"])
    try:
        import json

        info.write_text(json.dumps({**json.loads(text), "pid": bystander.pid}))
        assert not lifecycle.status(directory).running
        lifecycle.down(directory)
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_users_come_and_go(directory):
    assert lifecycle.detach(directory, "nobody") == 0
    lifecycle.attach(directory, "job/../1")
    lifecycle.attach(directory, "job/../1")
    lifecycle.attach(directory, "job 2")
    assert lifecycle.status(directory).users == ("job 2", "job/../1")
    assert lifecycle.detach(directory, "job/../1") == 1
    assert lifecycle.detach(directory, "job 2") == 0


def test_it_stops_with_its_last_user_only(directory):
    lifecycle.up(directory, FAST)
    lifecycle.attach(directory, "job")
    assert lifecycle.down_if_unused(directory) == ()
    assert lifecycle.status(directory).running
    lifecycle.detach(directory, "job")
    assert lifecycle.down_if_unused(directory)
    assert not lifecycle.status(directory).running


def test_unknown_backend_touches_nothing(directory):
    with pytest.raises(ProvisionError, match="none\\+builtin"):
        lifecycle.up(directory, EmulatorOptions(backend="docker"))
    assert not directory.exists()


def test_a_daemon_that_cannot_start_shows_its_log(directory):
    lifecycle.up(directory, FAST)
    lifecycle.down(directory)
    (directory / "image" / "bin" / "python3").unlink()
    (directory / "image" / "bin" / "python3").mkdir()
    with pytest.raises(ProvisionError, match="python3"):
        lifecycle.up(directory, FAST)
