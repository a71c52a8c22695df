from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import paramiko
import pytest
from emulated import Cloud, eventually
from google.api_core import exceptions

from tpuherd.errors import ProvisionError
from tpuherd_emulator import lifecycle
from tpuherd_emulator.layout import WORKER_MARKER
from tpuherd_emulator.lifecycle import EmulatorOptions
from tpuherd_emulator.processes import marked
from tpuherd_emulator.workers.backend import choose
from tpuherd_emulator.workers.sandboxes import hides_any

BACKENDS = (
    "auto",
    "none+builtin",
    pytest.param("none+sshd", marks=pytest.mark.slow),
    pytest.param("unshare+sshd", marks=pytest.mark.slow),
)


@pytest.fixture(scope="module", params=BACKENDS)
def backed(request, make_cloud):
    """A cloud of each kind, with one worker."""
    if request.param.startswith("unshare") and os.geteuid() != 0:
        pytest.skip("unshare is for root")
    cloud = make_cloud(backend=request.param)
    cloud.worker = cloud.node().network_endpoints[0].ip_address
    return cloud


def connect(cloud, address):
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    client.connect(
        address, cloud.info.ssh_port, cloud.info.ssh_user, key_filename=cloud.info.private_key,
        allow_agent=False, look_for_keys=False, timeout=20,
    )  # fmt: skip
    return client


def test_output_input_and_exit_status(backed):
    done = backed.ssh(backed.worker, "cat; echo problem >&2; exit 7", b"some input")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"some input", b"problem\n")


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ('echo "$#|${SSH_ORIGINAL_COMMAND-unset}|${command-unset}"', 0, "0|unset|unset"),
        ("echo one\nfalse", 1, "one"),
        ("if", 2, ""),
        ("no-such-program", 127, ""),
        ("set -- a; echo \"$1\" 'b c'; exec sh -c 'exit 9'", 9, "a b c"),
    ],
)
def test_a_command_is_what_the_users_shell_gets(backed, command, code, said):
    done = backed.ssh(backed.worker, command)
    assert (done.returncode, done.stdout.decode().strip()) == (code, said)


def test_the_environment_of_a_tpu_vm(backed):
    lines = backed.ssh(backed.worker, "env; pwd").stdout.decode().splitlines()
    values = dict(line.split("=", 1) for line in lines if "=" in line)
    folder = backed.directory / "workers" / "n-w0"
    assert values["HOME"] == lines[-1] == str(folder / "home")
    assert values["JAX_NUM_CPU_DEVICES"] == "4"
    assert values[WORKER_MARKER] == str(folder)
    assert values["STORAGE_EMULATOR_HOST"] == backed.info.storage_url
    assert values["PATH"].startswith(str(backed.directory / "image" / "bin"))
    leaked = {"VIRTUAL_ENV", "PYTHONPATH", "PYENV_ROOT", "PYENV_SHELL", "PYTEST_CURRENT_TEST"}
    assert not leaked & values.keys()


def test_python_is_the_images_own(backed):
    done = backed.ssh(
        backed.worker, "python3 -m venv --without-pip v && v/bin/python -c 'import sys; print(sys.prefix)'"
    )
    assert done.stdout.decode().strip().endswith("workers/n-w0/home/v"), done.stderr


def test_fifty_megabytes_pass_both_ways(backed):
    data = os.urandom(1 << 20) * 50
    done = backed.ssh(backed.worker, "cat", data, timeout=60)
    assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(data).digest()


def test_twenty_commands_at_once_on_one_connection(backed):
    with connect(backed, backed.worker) as client, ThreadPoolExecutor(20) as pool:

        def run(number):
            _, out, _ = client.exec_command(f"echo {number}; exit {number}", timeout=30)
            return out.read(), out.channel.recv_exit_status()

        assert list(pool.map(run, range(20))) == [(f"{number}\n".encode(), number) for number in range(20)]


def test_a_command_killed_by_a_signal_has_no_exit_status(backed):
    with connect(backed, backed.worker) as client:
        _, out, _ = client.exec_command("kill -KILL $$", timeout=30)
        assert out.channel.recv_exit_status() == -1


def test_a_client_that_leaves_does_not_end_its_command(backed):
    with connect(backed, backed.worker) as client:
        client.exec_command("sleep 1; touch survived")
        time.sleep(0.3)
    eventually((backed.directory / "workers/n-w0/home/survived").exists)


def test_an_interactive_shell_has_a_terminal(backed):
    with connect(backed, backed.worker) as client:
        channel = client.invoke_shell(term="xterm", width=91, height=33)
        channel.settimeout(20)
        channel.sendall(b"stty size; tty; echo $TERM; exit 5\n")
        shown = b"".join(iter(lambda: channel.recv(65536), b""))
        assert b"33 91" in shown
        assert b"/dev/pts/" in shown
        assert b"xterm" in shown
        assert channel.recv_exit_status() == 5


def test_only_the_clouds_key_and_those_of_the_node_log_in(backed, tmp_path):
    stranger = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-qt", "ed25519", "-N", "", "-f", stranger], check=True)
    argv = [
        str(stranger) if word == backed.info.private_key else word
        for word in backed.ssh_argv(backed.worker, "true")
    ]
    assert subprocess.run(argv, capture_output=True, timeout=30).returncode == 255
    client = backed.client()
    node = client.get_node(name=f"{backed.parent}/nodes/n")
    node.metadata["ssh-keys"] = f"somebody:{stranger.with_suffix('.pub').read_text()}"
    client.update_node(node=node, update_mask={"paths": ["metadata"]})
    assert subprocess.run(argv, timeout=30).returncode == 0


def test_deletion_ends_everything_on_the_worker(backed):
    node = backed.node("victim")
    folder = str(backed.directory / "workers" / "victim-w0")
    detached = (
        "(setsid nohup sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' >/dev/null 2>&1 </dev/null &)"
    )
    backed.ssh(node.network_endpoints[0].ip_address, detached)
    assert [found for found, _ in marked(WORKER_MARKER) if found == folder]
    backed.delete(node)
    assert not [found for found, _ in marked(WORKER_MARKER) if found == folder]
    assert not Path(folder).exists()
    assert backed.ssh(backed.worker, "true").returncode == 0


def test_workers_have_names_of_their_own_where_there_is_a_sandbox(cloud):
    if cloud.info.backend.startswith("none"):
        pytest.skip("no sandbox works on this machine")
    node = cloud.node("names", "v5litepod-16")
    asked = "hostname; ls /dev/shm; ps -e | wc -l"
    answers = [cloud.ssh(end.ip_address, asked).stdout.decode().split() for end in node.network_endpoints]
    for index, (hostname, processes) in enumerate(answers):
        assert hostname.startswith("t1v-n-")
        assert hostname.endswith(f"-w-{index}")
        assert int(processes) < 15
    cloud.delete(node)


def test_tmp_is_the_workers_own_unless_that_hides_something_it_needs():
    assert hides_any((Path("/tmp/cloud"),))
    assert not hides_any((Path("/var/cloud"), Path("/usr/bin/python3")))


def test_workers_do_not_share_tmp():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        cloud = Cloud(Path(folder), lifecycle.up(Path(folder), EmulatorOptions(create_s=0, delete_s=0)))
        try:
            ends = cloud.node("n", "v5litepod-16").network_endpoints
            cloud.ssh(ends[0].ip_address, "echo first > $(mktemp -d)/x; mktemp")
            listed = cloud.ssh(ends[1].ip_address, "ls ${TMPDIR:-/tmp}").stdout
        finally:
            lifecycle.down(Path(folder))
    assert listed == b""


@pytest.mark.parametrize("broken", [("bwrap",), ("bwrap", "unshare")])
def test_a_sandbox_that_is_installed_but_not_allowed_is_not_chosen(tmp_path, monkeypatch, broken):
    for name in broken:
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert choose("auto", tmp_path).sandbox.name not in broken
    with pytest.raises(ProvisionError, match="bwrap"):
        choose("bwrap+sshd", tmp_path)


def test_a_worker_that_does_not_boot_fails_its_operation(make_cloud):
    cloud = make_cloud(backend="none+sshd")
    settings = cloud.directory / "workers" / "broken-w0"
    settings.mkdir()
    (settings / "sshd_config").mkdir()
    with pytest.raises(exceptions.GoogleAPICallError, match="broken-w0"):
        cloud.node("broken")
    assert not list(cloud.client().list_nodes(parent=cloud.parent))
    eventually(lambda: not settings.exists())
