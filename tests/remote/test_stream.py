"""Streams: output of a command for as long as it lasts."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from tpuherd.errors import RemoteError
from tpuherd.remote import RemoteWorkers


@pytest.fixture
def remote(fragile_farm, tmp_path):
    with RemoteWorkers(fragile_farm.workers, fragile_farm.access, tmp_path / "known_hosts") as workers:
        yield workers


def test_chunks_arrive_while_the_command_runs(remote, tmp_path):
    """After each line the command waits for a file that is made only once that line has arrived."""
    wait = f"until [ -e {tmp_path}/heard-$i ]; do sleep 0.01; done"
    command = f"cat; i=0; {wait}; for i in 1 2 3; do echo $i; {wait}; done; echo err >&2; exit 4"
    with remote.open_stream(1, command, b"in\n") as s:
        assert s.exit_code is None
        assert next(s) == b"in\n"
        (tmp_path / "heard-0").touch()
        for number in (1, 2, 3):
            assert next(s) == f"{number}\n".encode()
            assert s.exit_code is None
            (tmp_path / f"heard-{number}").touch()
        assert list(s) == []
        assert (s.exit_code, s.stderr) == (4, "err\n")


def test_all_bytes_arrive(remote):
    with remote.open_stream(0, "head -c 20000000 /dev/zero") as stream:
        assert sum(map(len, stream)) == 20_000_000
    assert stream.exit_code == 0


def test_a_signalled_command_ends_the_stream(remote):
    with remote.open_stream(0, "echo x; kill -9 $$") as stream:
        assert list(stream) == [b"x\n"]
        assert stream.exit_code is None


def test_a_lost_connection_is_no_end(remote, fragile_farm):
    with remote.open_stream(0, "echo x; sleep 60") as stream:
        assert next(stream) == b"x\n"
        for pid in reversed(fragile_farm.servers[0].sessions()):
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(RemoteError, match=r"the connection to w0 \(127\.9\.0\.1\) was lost"):
            next(stream)
        assert stream.exit_code is None


def test_closing_from_another_thread_ends_the_iteration(remote):
    with remote.open_stream(0, "echo x; exec sleep 60") as stream:
        assert next(stream) == b"x\n"
        timer = threading.Timer(0.3, stream.close)
        timer.start()
        assert list(stream) == []
        timer.join()
    assert not remote.run("true", timeout_s=5).failed


def test_an_unreachable_worker_is_named(remote, fragile_farm):
    fragile_farm.servers[2].stop()
    with pytest.raises(RemoteError, match=r"^w2: 127\.9\.0\.3 port \d+: .*refused"):
        remote.open_stream(2, "true")
