"""Commands over connections that outlive their process: real holders, real sshds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from farm import worker
from herd import wait_for
from holding import holders

from tpuherd.errors import RemoteError
from tpuherd.holder import asking, starting
from tpuherd.holder.choosing import reach_workers
from tpuherd.holder.dropping import close_connections, connections
from tpuherd.holder.workers import HeldWorkers
from tpuherd.remote import HostKeyChangedError, Outcome, RemoteCommand, RemoteWorkers

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def remote(home: Path, farm) -> HeldWorkers:
    made = reach_workers(farm.workers, farm.access, known_hosts(home))
    assert isinstance(made, HeldWorkers)
    return made


def known_hosts(home: Path) -> Path:
    return home / "jobs" / "job-1" / "known_hosts"


def the_holder(home: Path) -> int:
    (pid,) = holders(home)
    return pid


def in_background(work: Callable[[], object]) -> tuple[threading.Thread, list]:
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    return thread, results


def test_all_that_a_direct_connection_can_do(remote, home):
    lines = []
    fan_out = remote.run(
        "echo $0; echo oops >&2; cat; printf rest; exit 3",
        stdin=b"in\n",
        timeout_s=30,
        on_line=lambda worker, line: lines.append((worker.index, line.stream, line.text)),
    )
    assert [(r.worker.index, r.outcome, r.code) for r in fan_out.results] == [
        (index, Outcome.EXITED, 3) for index in range(3)
    ]
    assert {r.stdout.partition("\n")[2] for r in fan_out.results} == {"in\nrest"}
    assert {r.stderr for r in fan_out.results} == {"oops\n"}
    assert sorted(text for index, stream, text in lines if (index, stream) == (1, "stdout"))[1:] == [
        "in",
        "rest",
    ]
    each = {2: RemoteCommand(command="cat", stdin=b"two"), 0: RemoteCommand(command="kill -9 $$")}
    ends = remote.run_each(each, timeout_s=30).results
    assert [(r.worker.index, r.outcome, r.stdout) for r in ends] == [
        (0, Outcome.SIGNALLED, ""),
        (2, Outcome.EXITED, "two"),
    ]
    with remote.open_stream(1, "cat; echo err >&2; exit 4", b"streamed") as stream:
        assert b"".join(stream) == b"streamed"
        assert (stream.exit_code, stream.stderr) == (4, "err\n")
    with pytest.raises(RemoteError, match="there is no worker 7 here"):
        remote.run("true", workers=[7], timeout_s=5)
    remote.connect(10)
    assert remote.connected == (), "all of it went through the holder"
    (row,) = connections()
    assert (row["job"], row["workers"], row["open"], row["in_use"]) == ("job-1", 3, 3, False)
    assert row["holder"] == the_holder(home)


def test_the_next_process_finds_the_connections(remote, home, farm):
    assert not remote.run("true", timeout_s=30).failed
    pid, sessions = the_holder(home), [server.sessions() for server in farm.servers]
    again = reach_workers(farm.workers, farm.access, known_hosts(home))
    assert not again.run("true", timeout_s=30).failed
    assert the_holder(home) == pid
    assert [server.sessions() for server in farm.servers] == sessions


STARTING = """
import sys
from tpuherd.holder.asking import Asking
with Asking() as one:
    print(list(one.ask({"op": "list"})), flush=True)
    sys.stdin.readline()
"""


@pytest.mark.slow
def test_many_that_start_it_at_once_get_one(home):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    users = [subprocess.Popen([sys.executable, "-c", STARTING], **pipes) for _ in range(6)]
    assert ["'rows': []" in user.stdout.readline() for user in users] == [True] * 6
    found = holders(home)
    for user in users:
        user.communicate("\n")
    assert len(found) == 1, "all six talked to it at the same time"


def test_a_holder_that_is_killed_in_the_middle_is_a_lost_connection(remote, home):
    thread, results = in_background(lambda: remote.run("echo started; sleep 600", timeout_s=900))
    assert wait_for(lambda: any(row["in_use"] and row["open"] == 3 for row in connections()), 30)
    os.kill(the_holder(home), signal.SIGKILL)
    thread.join(30)
    (fan_out,) = results
    assert {r.outcome for r in fan_out.results} == {Outcome.LOST}
    assert "0 of 3 workers succeeded; w0, w1, w2 lost: the connection holder" in fan_out.summary()
    assert "it may still be running" in fan_out.summary()
    assert not remote.run("true", timeout_s=30).failed, "its file was stale: another one was started"
    assert len(list((home / "holder").glob("*.sock"))) == 1


def test_a_stream_of_a_killed_holder_is_no_end(remote, home):
    with remote.open_stream(0, "echo x; sleep 600") as stream:
        assert next(stream) == b"x\n"
        os.kill(the_holder(home), signal.SIGKILL)
        with pytest.raises(RemoteError, match=r"the connection to w0 .* was lost while reading"):
            next(stream)


def test_closing_a_stream_from_another_thread_ends_it(remote):
    with remote.open_stream(0, "echo x; exec sleep 600") as stream:
        assert next(stream) == b"x\n"
        thread, results = in_background(lambda: list(stream))
        stream.close()
        thread.join(30)
        assert results == [[]]


@pytest.mark.slow
def test_a_holder_that_hangs_is_not_waited_for(remote, home, monkeypatch):
    assert not remote.run("true", timeout_s=30).failed
    pid = the_holder(home)
    monkeypatch.setattr(asking, "START_S", 1.0)
    monkeypatch.setattr(asking, "SILENCE_S", 4.0)
    thread, results = in_background(lambda: remote.run("sleep 600", timeout_s=900))
    assert wait_for(lambda: any(row["in_use"] for row in connections()), 30)
    os.kill(pid, signal.SIGSTOP)
    thread.join(60)
    assert "the connection holder is silent; it may still be running" in results[0].summary()
    assert not remote.run("true", timeout_s=30).failed
    assert remote.connected == (0, 1, 2), "by connections of its own"
    os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("obstacle", ["no program", "a folder for all", "a file in its place"])
def test_without_a_holder_all_goes_on(remote, home, monkeypatch, obstacle):
    if obstacle == "no program":
        monkeypatch.setattr(sys, "executable", "/bin/false")
    elif obstacle == "a folder for all":
        (home / "holder").mkdir(parents=True)
        (home / "holder").chmod(0o755)
    else:
        home.mkdir()
        (home / "holder").write_text("")
    assert not remote.run("true", timeout_s=30).failed
    with remote.open_stream(0, "echo x") as stream:
        assert list(stream) == [b"x\n"]
    assert remote.connected == (0, 1, 2)
    assert not holders(home)


def test_none_is_wanted(home, farm, monkeypatch):
    monkeypatch.setenv("TPUHERD_HOLDER_IDLE_S", "0")
    with reach_workers(farm.workers, farm.access, known_hosts(home)) as remote:
        assert type(remote) is RemoteWorkers
        assert not remote.run("true", timeout_s=30).failed
    with pytest.raises(OSError, match="none is wanted"):
        starting.reach_holder()
    assert not holders(home)


def test_an_idle_one_ends_and_leaves_no_socket(home, farm, monkeypatch):
    monkeypatch.setenv("TPUHERD_HOLDER_IDLE_S", "0.5")
    remote = reach_workers(farm.workers, farm.access, known_hosts(home))
    assert not remote.run("true", timeout_s=30).failed
    assert wait_for(lambda: not holders(home), 30)
    assert not list((home / "holder").glob("*.sock"))
    assert wait_for(lambda: not any(server.sessions() for server in farm.servers), 30)


def test_one_whose_workers_are_gone_ends(remote, home, farm):
    assert not remote.run("true", timeout_s=30).failed
    farm.stop()
    assert wait_for(lambda: not holders(home), 30)


def test_connections_can_be_closed(remote, home):
    assert not remote.run("true", timeout_s=30).failed
    assert close_connections("another-job") == 0
    assert close_connections("job-1") == 3
    assert close_connections() == 0
    assert wait_for(lambda: not holders(home), 30)
    assert connections() == []


def test_those_of_vms_that_were_replaced_are_dropped(remote, home, farm):
    assert not remote.run("true", timeout_s=30).failed
    fresh = [worker(index, server.address) for index, server in enumerate(farm.servers[:2])]
    assert not reach_workers(fresh, farm.access, known_hosts(home)).run("true", timeout_s=30).failed
    assert wait_for(lambda: [row["workers"] for row in connections()] == [2], 30)


CALLING = """
import json, sys
from pathlib import Path
from tpuherd import SshAccess, Worker
from tpuherd.holder.choosing import reach_workers
workers, access = json.loads(sys.argv[1])
remote = reach_workers([Worker(**one) for one in workers], SshAccess(**access), Path(sys.argv[2]))
say = lambda worker, line: print(line.text, flush=True)
remote.run(sys.argv[3], mark=sys.argv[4], timeout_s=900, on_line=say)
"""


def test_a_command_ends_with_its_caller(remote, home, farm):
    """It ignores a lost connection, so somebody has to end it."""
    said = json.dumps([[asdict(one) for one in farm.workers], asdict(farm.access)])
    script = "trap '' HUP PIPE; export TPUHERD_EXEC_ID=abc; echo ready; sleep 600"
    caller = subprocess.Popen(
        [sys.executable, "-c", CALLING, said, str(known_hosts(home)), script, "abc"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert [caller.stdout.readline() for _ in range(3)] == ["ready\n"] * 3
    assert all(server.strays() for server in farm.servers)
    caller.kill()
    caller.communicate()
    assert wait_for(lambda: not any(row["in_use"] for row in connections()), 60)
    assert wait_for(lambda: not any(marked(server) for server in farm.servers), 30)


def marked(server) -> list[int]:
    """Processes on a worker that carry the mark of the test above."""
    return [
        pid for pid in server.strays() if b"TPUHERD_EXEC_ID=abc" in Path(f"/proc/{pid}/environ").read_bytes()
    ]


def test_much_output_is_not_kept_by_the_holder(remote, home):
    assert not remote.run("true", timeout_s=30).failed
    before = peak_mib(the_holder(home))
    fan_out = remote.run("seq 99999999 | head -c 50000000", timeout_s=120)
    assert not fan_out.failed
    assert all("bytes left out" in result.stdout for result in fan_out.results)
    assert peak_mib(the_holder(home)) - before < 30


def peak_mib(pid: int) -> float:
    (line,) = [x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def test_a_changed_host_key_is_told_as_such(remote, farm):
    remote.connect(20)
    farm.servers[1].renew_host_key()
    with pytest.raises(
        HostKeyChangedError, match=r"2 of 3 workers answered; missing:\n  w1: the host key of"
    ):
        remote.connect(20)
    (failed,) = remote.run("true", timeout_s=20).failed
    assert failed.outcome is Outcome.UNREACHABLE
    with pytest.raises(RemoteError, match="w1: the host key of"):
        remote.open_stream(1, "true")


def test_an_unusable_key_is_told_as_such(home, farm):
    from tpuherd import SshAccess

    access = SshAccess(user="root", private_key=str(home / "none"), public_key="", port=farm.port)
    remote = reach_workers(farm.workers, access, known_hosts(home))
    with pytest.raises(RemoteError, match="cannot read the SSH key"):
        remote.run("true", timeout_s=10)
