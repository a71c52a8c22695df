"""Host keys belong to a node and a worker, not to an address."""

from __future__ import annotations

import subprocess
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest
from farm import NODE_ID

from tpuherd.errors import RemoteError
from tpuherd.remote import HostKeyChangedError, KnownHosts, Outcome, RemoteWorkers, forget, interactive_argv

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [f"tpu.{NODE_ID}-{index}" for index in range(3)]


def names(path: Path) -> list[str]:
    return sorted(line.split()[0] for line in path.read_text().splitlines())


def test_first_keys_are_kept_and_changed_ones_refused(fragile_farm, tmp_path):
    path = tmp_path / "made" / "known_hosts"
    with RemoteWorkers(fragile_farm.workers, fragile_farm.access, path) as remote:
        remote.connect(10)
    assert names(path) == NAMES
    kept = path.read_text()
    fragile_farm.servers[1].renew_host_key()
    with RemoteWorkers(fragile_farm.workers, fragile_farm.access, path) as remote:
        began = time.monotonic()
        with pytest.raises(
            RemoteError, match=r"2 of 3 workers answered; missing:\n  w1: the host key of tpu"
        ):
            remote.connect(60)
        assert time.monotonic() - began < 40
        fan_out = remote.run("true", timeout_s=10)
        assert [r.worker.index for r in fan_out.failed] == [1]
        assert fan_out.failed[0].outcome is Outcome.UNREACHABLE
        assert path.read_text() == kept
        assert forget(path, NODE_ID) == 3
        remote.connect(10)
    assert names(path) == NAMES[1:2], "the others were still connected"


def test_the_ssh_client_shares_the_file(fragile_farm, tmp_path):
    path = tmp_path / "with space %h" / "known_hosts"
    path.parent.mkdir()
    worker = fragile_farm.workers[0]
    argv = interactive_argv(worker, fragile_farm.access, path)
    done = subprocess.run([*argv, "echo there"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (0, "there\n"), done.stderr
    assert names(path) == NAMES[:1]
    with RemoteWorkers(fragile_farm.workers, fragile_farm.access, path) as remote:
        remote.connect(10)
    fragile_farm.servers[0].renew_host_key()
    done = subprocess.run([*argv, "true"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 255
    assert "REMOTE HOST IDENTIFICATION HAS CHANGED" in done.stderr


def test_the_ssh_client_refuses_what_was_not_kept(fragile_farm, tmp_path):
    path = tmp_path / "known_hosts"
    with RemoteWorkers(fragile_farm.workers, fragile_farm.access, path) as remote:
        remote.connect(10)
    fragile_farm.servers[0].renew_host_key()
    argv = interactive_argv(fragile_farm.workers[0], fragile_farm.access, path)
    done = subprocess.run([*argv, "true"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 255


def test_forgetting_takes_this_node_only(tmp_path):
    path = tmp_path / "known_hosts"
    others = ["tpu.a-1-0 k 1", "tpu.ab-0 k 2", "xtpu.a-0 k 3", "# tpu.a-0", "", "tpuXa-0 k 4"]
    path.write_text("\n".join(["tpu.a-0 k 5", *others, "tpu.a-17 k 6"]) + "\n")
    assert forget(path, "a") == 2
    assert path.read_text().splitlines() == others
    assert forget(tmp_path / "none", "a") == 0
    assert not (tmp_path / "none").exists()


def accept_many(path: Path, part: int) -> None:
    for index in range(20):
        KnownHosts(path).accept(f"tpu.node{part}-{index}", f"ssh-ed25519 {part}x{index}")


def test_many_processes_lose_no_line(tmp_path):
    path = tmp_path / "known_hosts"
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(accept_many, path, part) for part in range(4)]:
            done.result()
    lines = path.read_text().splitlines()
    assert len(lines) == len(set(lines)) == 80
    assert KnownHosts(path).keys("tpu.node3-19") == ["ssh-ed25519 3x19"]


def test_the_first_of_two_keys_wins(tmp_path):
    hosts = KnownHosts(tmp_path / "known_hosts")
    hosts.accept("tpu.a-0", "ssh-ed25519 one")
    hosts.accept("tpu.a-0", "ssh-ed25519 one")
    with pytest.raises(HostKeyChangedError, match=r"tpu\.a-0 is not the one kept in"):
        hosts.accept("tpu.a-0", "ssh-ed25519 two")
    assert hosts.path.read_text() == "tpu.a-0 ssh-ed25519 one\n"


@pytest.mark.parametrize("name", ["", "a b", "a,b", "a\nb", "*", "!a", "|1|x"])
def test_names_cannot_forge_lines(tmp_path, name):
    with pytest.raises(RemoteError, match="cannot be a host key name"):
        KnownHosts(tmp_path / "known_hosts").accept(name, "ssh-ed25519 one")
    assert not (tmp_path / "known_hosts").exists()


@pytest.mark.parametrize("junk", ["", "ssh-ed25519", "ssh-ed25519 !!!", "ssh-ed25519 AAAA", "no-type AAAA"])
def test_a_broken_line_is_named(fragile_farm, tmp_path, junk):
    path = tmp_path / "known_hosts"
    path.write_text(f"{NAMES[0]} {junk}\n")
    with RemoteWorkers(fragile_farm.workers, fragile_farm.access, path) as remote:
        (failed,) = remote.run("true", timeout_s=10).failed
    assert f"{path} has a line for {NAMES[0]} that is no host key" in failed.reason


def test_pinned_keys_replace_what_was_there_and_contradict_a_first_use(tmp_path):
    hosts = KnownHosts(tmp_path / "known_hosts")
    hosts.accept("tpu.a.17-0", "ssh-ed25519 AAAA")
    hosts.pin("tpu.a.17-0", ["ssh-rsa BBBB", "ssh-ed25519 AAAA"])
    assert hosts.keys("tpu.a.17-0") == ["ssh-rsa BBBB", "ssh-ed25519 AAAA"]
    with pytest.raises(HostKeyChangedError, match=r"tpu\.a\.17-0"):
        hosts.pin("tpu.a.17-0", ["ssh-ed25519 CCCC"])
    assert hosts.keys("tpu.a.17-0") == ["ssh-rsa BBBB", "ssh-ed25519 AAAA"]


def test_a_key_that_would_be_two_lines_is_refused(tmp_path):
    hosts = KnownHosts(tmp_path / "known_hosts")
    with pytest.raises(RemoteError, match="cannot be a host key of tpu"):
        hosts.pin("tpu.a-0", ["ssh-rsa AAAA\nevil ssh-rsa BBBB"])
    assert not hosts.path.exists()


def test_all_incarnations_of_a_node_are_forgotten(tmp_path):
    hosts = KnownHosts(tmp_path / "known_hosts")
    for name in ("tpu.a-0", "tpu.a.17-0", "tpu.a.17-1", "tpu.a-b.17-0"):
        hosts.accept(name, "ssh-ed25519 AAAA")
    assert forget(hosts.path, "a") == 3
    assert hosts.keys("tpu.a-b.17-0") == ["ssh-ed25519 AAAA"]
