"""Commands on eight real sshds."""

from __future__ import annotations

import hashlib
import os
import resource
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tpuherd.errors import PrepareError, RemoteError
from tpuherd.remote import Line, Outcome, RemoteCommand, RemoteWorkers, quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from farm import Farm

ALL = range(8)


@pytest.fixture(scope="module")
def remote(farm: Farm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteWorkers]:
    with RemoteWorkers(farm.workers, farm.access, tmp_path_factory.mktemp("keys") / "known_hosts") as workers:
        workers.connect(20)
        yield workers


def alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


def test_every_worker_answers_for_itself(remote, farm):
    fan_out = remote.run("pwd; echo $HOME; echo oops >&2", timeout_s=10)
    assert [result.worker.index for result in fan_out.results] == list(ALL)
    homes = [result.stdout.splitlines()[1] for result in fan_out.results]
    assert homes == [str(server.folder / "home") for server in farm.servers]
    assert {result.stderr for result in fan_out.results} == {"oops\n"}
    assert fan_out.summary() == "8 of 8 workers succeeded"
    fan_out.require(RemoteError, "nothing to complain about")


def test_failures_are_named_and_the_first_is_quoted(remote):
    command = "case $HOME in */3/home) echo no space left >&2; exit 2;; */5/home) sleep 0.5; exit 7;; esac"
    fan_out = remote.run(command, timeout_s=10)
    assert [(r.worker.index, r.code) for r in fan_out.failed] == [(3, 2), (5, 7)]
    assert len(fan_out.succeeded) == 6
    assert fan_out.summary() == (
        "6 of 8 workers succeeded; w3 failed: exit 2; w5 failed: exit 7\nlast lines of w3:\nno space left"
    )
    with pytest.raises(PrepareError, match=r"^making the environment: 6 of 8 .*w3 failed: exit 2"):
        fan_out.require(PrepareError, "making the environment")


@pytest.mark.parametrize("code", [0, 1, 2, 127, 255])
def test_exit_codes_arrive(remote, code):
    (result,) = remote.run(f"exit {code}", workers=[2], timeout_s=10).results
    assert (result.outcome, result.code, result.worker.index) == (Outcome.EXITED, code, 2)


def test_a_signal_is_no_lost_connection(remote):
    fan_out = remote.run("echo before; kill -9 $$", workers=[0, 1], timeout_s=10)
    assert {(r.outcome, r.code, r.stdout) for r in fan_out.results} == {(Outcome.SIGNALLED, None, "before\n")}


def test_an_unknown_worker_touches_nothing(remote, tmp_path: Path):
    with pytest.raises(RemoteError, match="there is no worker 8 here, only w0, w1"):
        remote.run(quote(["touch", str(tmp_path / "touched")]), workers=[0, 8], timeout_s=10)
    assert not (tmp_path / "touched").exists()


def test_words_reach_the_program_as_they_are(remote):
    words = ["a b", "$(id)", "'", '"', "ä\n", "", "-n", "*"]
    (result,) = remote.run(quote(["printf", "%s|", *words]), workers=[0], timeout_s=10).results
    assert result.stdout == "".join(f"{word}|" for word in words)


def test_lines_come_while_the_command_runs(remote, farm):
    """Each line is printed only after the one before has been told here."""
    seen = []

    def saw(worker, line):
        seen.append((worker.index, line))
        (farm.servers[worker.index].folder / "home" / f"saw-{line.stream}-{line.text}").touch()

    command = "for i in 1 2 3; do echo $i; echo $i >&2; for s in stdout stderr; do "
    command += "until [ -e $HOME/saw-$s-$i ]; do sleep 0.01; done; done; done; printf unfinished"
    remote.run(command, workers=[0, 1], timeout_s=60, on_line=saw)
    for index in (0, 1):
        mine = [line for one, line in seen if one == index]
        assert mine[-1] == Line("stdout", "unfinished")
        assert sorted(line.stream for line in mine) == ["stderr"] * 3 + ["stdout"] * 4


def test_lines_are_told_one_at_a_time(remote):
    inside, overlaps = threading.Lock(), []

    def on_line(worker, line):
        if not inside.acquire(blocking=False):
            overlaps.append(line)
            return
        time.sleep(0.001)
        inside.release()

    remote.run("seq 20", timeout_s=10, on_line=on_line)
    assert not overlaps


def test_an_error_in_on_line_is_not_swallowed(remote):
    def on_line(worker, line):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        remote.run("echo x", timeout_s=10, on_line=on_line)
    assert not remote.run("true", timeout_s=10).failed


def test_characters_cut_by_the_network_stay_whole(remote):
    lines = []
    remote.run(
        r"printf '\303'; sleep 0.2; printf '\244 \377 ok\n'",
        workers=[0],
        timeout_s=10,
        on_line=lambda _, line: lines.append(line.text),
    )
    assert lines == ["ä � ok"]


def test_a_time_out_ends_the_waiting_and_not_the_process(remote):
    began = time.monotonic()
    fan_out = remote.run("echo $$; exec sleep 60", timeout_s=0.5)
    assert time.monotonic() - began < 30
    assert {result.outcome for result in fan_out.results} == {Outcome.TIMED_OUT}
    assert "timed out: it may still be running" in fan_out.summary()
    pids = [result.stdout.strip() for result in fan_out.results]
    try:
        assert all(alive(pid) for pid in pids)
    finally:
        remote.run_each({i: RemoteCommand(command=f"kill {pid}") for i, pid in enumerate(pids)}, timeout_s=10)
    assert not remote.run("true", timeout_s=10).failed


@pytest.mark.parametrize("timeout_s", [1, 20])
def test_a_child_that_keeps_the_output_open_does_not_hold_the_command(remote, timeout_s):
    began = time.monotonic()
    (result,) = remote.run("sleep 120 & echo $!", workers=[0], timeout_s=timeout_s).results
    remote.run(f"kill {int(result.stdout)}", workers=[0], timeout_s=10)
    assert (result.outcome, result.code) == (Outcome.EXITED, 0)
    assert time.monotonic() - began < 100


def test_closed_outputs_do_not_end_the_command(remote):
    (result,) = remote.run("exec >&- 2>&-; sleep 0.5; exit 3", workers=[0], timeout_s=10).results
    assert (result.outcome, result.code) == (Outcome.EXITED, 3)
    assert result.duration_s > 0.4


def test_fifty_megabytes_within_bounds(remote):
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (result,) = remote.run("seq 99999999 | head -c 50000000", workers=[0], timeout_s=60).results
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < 30_000
    assert result.succeeded
    assert result.stdout.startswith("1\n2\n3\n")
    assert f"\n[... {50_000_000 - (1 << 20):,} bytes left out ...]\n" in result.stdout
    assert len(result.stdout) < (1 << 20) + 100


def test_large_input_for_all_workers(remote):
    data = os.urandom(30_000_000)
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fan_out = remote.run("md5sum", stdin=data, timeout_s=60)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < 60_000
    digest = hashlib.md5(data).hexdigest()
    assert {result.stdout for result in fan_out.results} == {f"{digest}  -\n"}


def test_input_and_output_at_once(remote):
    data = os.urandom(15_000_000)
    (result,) = remote.run("base64", workers=[0], stdin=data, timeout_s=60).results
    assert result.succeeded
    assert "bytes left out" in result.stdout


def test_input_that_nobody_reads(remote):
    fan_out = remote.run("exit 5", workers=[0, 1], stdin=bytes(30_000_000), timeout_s=20)
    assert [result.code for result in fan_out.results] == [5, 5]


def test_no_input_is_an_empty_input(remote):
    (result,) = remote.run("wc -c", workers=[0], timeout_s=10).results
    assert result.stdout.strip() == "0"


def test_each_worker_its_own(remote):
    commands = {i: RemoteCommand(command=f"echo {i}; cat", stdin=b"in%d" % i) for i in (6, 1)}
    fan_out = remote.run_each(commands, timeout_s=10)
    assert [(r.worker.index, r.stdout) for r in fan_out.results] == [(1, "1\nin1"), (6, "6\nin6")]


def test_runs_at_the_same_time_do_not_wait_for_each_other(remote):
    slow = threading.Thread(target=remote.run, args=("sleep 4",), kwargs={"timeout_s": 60})
    slow.start()
    assert not remote.run("true", timeout_s=10).failed
    assert slow.is_alive()
    slow.join()


def test_no_file_descriptors_are_left_behind(remote):
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    remote.run("true", timeout_s=10)
    before = count()
    for _ in range(10):
        remote.run("true", timeout_s=10)
    assert count() <= before + 2
