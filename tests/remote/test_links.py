"""What goes wrong between here and the workers."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest
from farm import make_farm, make_key, worker
from proxy import Proxy

from tpuherd.errors import RemoteError
from tpuherd.model.cloud import SshAccess
from tpuherd.remote import Outcome, RemoteWorkers, live_socket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from farm import Farm


@pytest.fixture
def remote(fragile_farm: Farm, tmp_path: Path) -> Iterator[RemoteWorkers]:
    access = fragile_farm.access
    with RemoteWorkers(
        fragile_farm.workers, access, tmp_path / "known_hosts", connect_timeout_s=3
    ) as workers:
        workers.connect(20)
        yield workers


@contextlib.contextmanager
def after(delay_s: float, action: Callable[[], object]) -> Iterator[None]:
    timer = threading.Timer(delay_s, action)
    timer.start()
    try:
        yield
    finally:
        timer.join()


def kill_sessions(server) -> None:
    for pid in reversed(server.sessions()):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def with_key(access: SshAccess, key: Path) -> SshAccess:
    return SshAccess(user=access.user, private_key=str(key), public_key="", port=access.port)


def test_a_killed_session_is_lost(remote, fragile_farm):
    with after(0.5, lambda: kill_sessions(fragile_farm.servers[1])):
        fan_out = remote.run("echo started; sleep 3", timeout_s=20)
    assert [result.outcome for result in fan_out.results] == [Outcome.EXITED, Outcome.LOST, Outcome.EXITED]
    (lost,) = fan_out.failed
    assert lost.stdout == "started\n"
    assert (
        "2 of 3 workers succeeded; w1 lost: the connection ended before the command did" in fan_out.summary()
    )


def test_a_dead_kept_connection_is_opened_again(remote, fragile_farm):
    for server in fragile_farm.servers:
        kill_sessions(server)
    assert not remote.run("true", timeout_s=10).failed


def test_an_unreachable_worker_is_a_result(remote, fragile_farm):
    fragile_farm.servers[2].stop()
    fan_out = remote.run("true", timeout_s=10)
    assert [result.outcome for result in fan_out.results] == [
        Outcome.EXITED,
        Outcome.EXITED,
        Outcome.UNREACHABLE,
    ]
    assert "w2 unreachable: 127.9.0.3 port" in fan_out.summary()
    assert "refused" in fan_out.summary()


@pytest.mark.slow
def test_a_stopped_worker_is_lost_in_time(remote, fragile_farm):
    server = fragile_farm.servers[0]
    try:
        with after(0.5, lambda: server.signal_all(signal.SIGSTOP)):
            fan_out = remote.run("sleep 60", workers=[0], timeout_s=30)
    finally:
        server.signal_all(signal.SIGCONT)
    assert fan_out.results[0].outcome is Outcome.LOST
    assert fan_out.results[0].duration_s < 25


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stdin", "buffer_bytes"),
    [(None, 0), (bytes(100_000_000), 0), (bytes(100_000_000), 16384)],
    ids=["idle", "sending", "sending-with-full-buffers"],
)
def test_a_silent_partition_ends_in_time(fragile_farm, tmp_path, monkeypatch, stdin, buffer_bytes):
    small = ((socket.SOL_SOCKET, "SO_SNDBUF", buffer_bytes),) if buffer_bytes else ()
    monkeypatch.setattr(live_socket, "_OPTIONS", live_socket._OPTIONS + small)
    proxy = Proxy("127.9.1.1", fragile_farm.servers[0].address, fragile_farm.port, buffer_bytes)
    try:
        with RemoteWorkers([worker(0, "127.9.1.1")], fragile_farm.access, tmp_path / "known_hosts") as remote:
            remote.connect(10)
            with after(0.5, proxy.blackhole):
                (result,) = remote.run(
                    "(sleep 0.3; cat; sleep 60) >/dev/null", stdin=stdin, timeout_s=30
                ).results
            assert result.outcome is Outcome.LOST
            assert result.duration_s < 25
    finally:
        proxy.close()


@pytest.mark.slow
def test_a_quiet_worker_is_not_lost(remote):
    assert not remote.run("sleep 9", timeout_s=20).failed


def test_a_mute_server_is_named_and_does_not_hold_the_others(fragile_farm, tmp_path):
    fragile_farm.servers[1].process.send_signal(signal.SIGSTOP)
    try:
        with RemoteWorkers(
            fragile_farm.workers, fragile_farm.access, tmp_path / "known_hosts", connect_timeout_s=1
        ) as remote:
            fan_out = remote.run("true", timeout_s=10)
            (mute,) = fan_out.failed
            assert (mute.worker.index, mute.outcome) == (1, Outcome.UNREACHABLE)
            with pytest.raises(
                RemoteError, match=r"^2 of 3 workers answered; missing:\n  w1: 127\.9\.0\.2 port"
            ):
                remote.connect(1.5)
    finally:
        fragile_farm.servers[1].process.send_signal(signal.SIGCONT)


def test_connect_waits_for_a_late_worker(fragile_farm, tmp_path):
    server = fragile_farm.servers[2]
    server.stop()
    with RemoteWorkers(fragile_farm.workers, fragile_farm.access, tmp_path / "known_hosts") as remote:
        with after(0.7, server.start):
            began = time.monotonic()
            remote.connect(10)
        assert time.monotonic() - began > 0.6
        assert not remote.run("true", timeout_s=5).failed


def test_a_wrong_key_is_refused_with_a_reason(fragile_farm, tmp_path, caplog, capfd):
    make_key(tmp_path / "wrong")
    access = with_key(fragile_farm.access, tmp_path / "wrong")
    with RemoteWorkers(fragile_farm.workers, access, tmp_path / "known_hosts") as remote:
        with pytest.raises(RemoteError, match="0 of 3 workers answered") as caught:
            remote.connect(0.3)
        assert f"refuses user {access.user} with the key {tmp_path / 'wrong'}" in str(caught.value)
    assert not caplog.records
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("kind", ["missing", "garbage", "passphrase"])
def test_an_unusable_key_is_named_before_anything_is_touched(fragile_farm, tmp_path, kind):
    key = tmp_path / "bad"
    if kind == "garbage":
        key.write_text("not a key")
    if kind == "passphrase":
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", key], check=True)
    access = with_key(fragile_farm.access, key)
    with (
        RemoteWorkers(fragile_farm.workers, access, tmp_path / "known_hosts") as remote,
        pytest.raises(RemoteError, match=str(key)) as caught,
    ):
        remote.run("true", timeout_s=5)
    expected = {
        "missing": "cannot read",
        "garbage": "is not a private SSH key",
        "passphrase": "has a passphrase",
    }
    assert expected[kind] in str(caught.value)


def test_another_users_configuration_has_no_say(fragile_farm, tmp_path, monkeypatch):
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text(
        "Host *\n  Port 1\n  ProxyCommand false\n  IdentityFile /nowhere\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    with RemoteWorkers(fragile_farm.workers, fragile_farm.access, tmp_path / "known_hosts") as remote:
        remote.connect(10)


def test_closing_ends_a_running_command(remote):
    with after(0.5, remote.close):
        fan_out = remote.run("sleep 20", timeout_s=30)
    assert {result.outcome for result in fan_out.results} == {Outcome.LOST}
    assert max(result.duration_s for result in fan_out.results) < 3


CONNECTING = """
import json, signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs the tests may ignore it
from tpuherd import SshAccess, Worker
from tpuherd.remote import RemoteWorkers
workers, access = json.loads(sys.argv[1])
with RemoteWorkers([Worker(**one) for one in workers], SshAccess(**access), Path(sys.argv[2])) as remote:
    print("connecting", flush=True)
    remote.connect(60)
"""


def test_ctrl_c_does_not_wait_for_a_mute_server(fragile_farm, tmp_path):
    server = fragile_farm.servers[1]
    server.process.send_signal(signal.SIGSTOP)
    farm = json.dumps([[asdict(one) for one in fragile_farm.workers], asdict(fragile_farm.access)])
    command = [sys.executable, "-c", CONNECTING, farm, str(tmp_path / "known_hosts")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"connecting\n"
        time.sleep(0.5)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == -signal.SIGINT
        assert time.monotonic() - began < 30
    finally:
        server.process.send_signal(signal.SIGCONT)
        process.kill()
        process.stdout.close()
        process.stderr.close()


def test_closed_is_closed(remote):
    remote.close()
    fan_out = remote.run("true", timeout_s=5)
    assert {(r.outcome, r.reason) for r in fan_out.results} == {
        (Outcome.UNREACHABLE, "its connection was closed by this process")
    }


def test_each_connection_has_a_configuration_of_its_own(remote: RemoteWorkers):
    """Reading an invoke Config changes it: one that threads share is empty at the wrong moment."""
    configs = {id(link._connection.config) for link in remote._links.values()}
    assert len(configs) == 3


def test_a_connection_notices_silence_and_does_not_wait_for_acknowledgements(remote: RemoteWorkers):
    for link in remote._links.values():
        sock = link._connection.transport.sock
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        probing_s = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) + sock.getsockopt(
            socket.IPPROTO_TCP, socket.TCP_KEEPINTVL
        ) * sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT)
        assert probing_s < 10
        assert 0 < sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) < 10_000
        assert sock.limit_s < 10


def test_an_agent_full_of_keys_is_not_asked(fragile_farm, tmp_path, monkeypatch):
    """Six wrong keys of an agent, and sshd hangs up before the right one is tried."""
    agent = tmp_path / "agent"
    process = subprocess.Popen(["ssh-agent", "-D", "-a", agent], stdout=subprocess.DEVNULL)
    try:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(agent))
        keys = [tmp_path / f"key{number}" for number in range(8)]
        for key in keys:
            make_key(key)
        subprocess.run(["ssh-add", "-q", *keys], check=True, capture_output=True)
        with RemoteWorkers(fragile_farm.workers, fragile_farm.access, tmp_path / "known_hosts") as remote:
            assert not remote.run("true", timeout_s=20).failed
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_dead_worker_among_many_is_named_and_the_others_results_stand(tmp_path):
    for farm in make_farm(tmp_path, 32):
        farm.servers[17].stop()
        with RemoteWorkers(
            farm.workers, farm.access, tmp_path / "known_hosts", connect_timeout_s=10
        ) as remote:
            fan_out = remote.run("echo $HOME", timeout_s=60)
        assert [result.worker.name for result in fan_out.failed] == ["w17"]
        assert fan_out.summary().startswith("31 of 32 workers succeeded; w17 unreachable: 127.9.0.18 port")
        homes = {result.stdout.strip() for result in fan_out.succeeded}
        assert homes == {f"{server.folder}/home" for server in farm.servers} - {
            f"{farm.servers[17].folder}/home"
        }
