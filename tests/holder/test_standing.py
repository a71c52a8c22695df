"""Agents that stand by: real sshds, the connections of a holder, and what happens when something dies."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from herd import wait_for
from holding import holders

from tpuherd.agent.answers import LogChunk, Status
from tpuherd.agent.bundle import agent_command, bundle, sources
from tpuherd.agent.client import Agents
from tpuherd.errors import RemoteError
from tpuherd.holder.choosing import reach_workers
from tpuherd.holder.dropping import close_connections
from tpuherd.holder.workers import HeldWorkers
from tpuherd.remote import AgentCall, Outcome, RemoteCommand, RemoteWorkers
from tpuherd_agent.errors import BUSY, LONG_WAY, SPEC_WRONG, USAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from farm import Farm

    from tpuherd.agent.answers import Frame

COUNTED = 'echo started >> "$HOME/$TPUHERD_ATTEMPT_ID"; {}'
"""A workload that tells how often it was started."""
LINES = "for i in $(seq 100); do echo line $i; sleep 0.02; done"
EXPECTED = [f"line {number}" for number in range(1, 101)]


@pytest.fixture
def bare(home: Path, farm: Farm) -> HeldWorkers:
    """Workers over a holder's connections, without any agent."""
    made = reach_workers(farm.workers, farm.access, home / "jobs" / "job-1" / "known_hosts")
    assert isinstance(made, HeldWorkers)
    return made


@pytest.fixture
def remote(bare: HeldWorkers) -> HeldWorkers:
    Agents(bare).install()
    return bare


def standing(farm: Farm, worker: int = 0) -> list[int]:
    """The agents that stand by on a worker: their children are not counted."""
    return [pid for pid in serving(farm, worker) if parent(pid) not in serving(farm, worker)]


def serving(farm: Farm, worker: int) -> list[int]:
    """These and their children, but not the keepers that those have left behind."""
    words = ((pid, arguments(pid)) for pid in farm.servers[worker].sessions())
    return [pid for pid, found in words if found[-1:] == ["serve"] and "python3" in found[0]]


def arguments(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[:-1]
    except OSError:
        return []


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def at_home(farm: Farm, worker: int = 0) -> Path:
    return farm.servers[worker].folder / "home"


def spec(attempt: str, script: str, **more: Any) -> dict[str, Any]:
    return {"attempt": attempt, "script": COUNTED.format(script), **more}


def starts(farm: Farm, attempt: str, worker: int = 0) -> int:
    return (at_home(farm, worker) / attempt).read_text().count("started")


def to_end(frames: Iterator[Frame], offset: int = 0) -> tuple[bytes, Status]:
    log, last = b"", None
    for frame in frames:
        if isinstance(frame, LogChunk):
            assert frame.offset == offset + len(log)
            log += frame.data
        last = frame if isinstance(frame, Status) else last
    assert last
    return log, last


def test_calls_are_answered_as_by_agents_of_their_own(remote: HeldWorkers, farm: Farm, tmp_path: Path):
    agents = Agents(remote)
    assert not agents.start({0: spec("a.1", "echo hi; sleep 600")}).failed
    (one,) = standing(farm)
    with RemoteWorkers(farm.workers, farm.access, tmp_path / "others") as direct:
        for words, stdin in (
            (("status", "--attempt", "a.1"), None),
            (("status", "--attempt", "../a"), None),
            (("nonsense",), None),
            (("log", "--attempt", "a.1"), None),
            (("log", "--attempt", "a.1", "--offset", "99"), None),
            (("start",), b"no JSON"),
            (("start",), json.dumps({"attempt": "a.2", "argv": ["true"], "cwd": "none"}).encode()),
        ):
            command = agent_command(bundle(), *words, stdin=stdin)
            here, there = (r.run_each({0: command}, timeout_s=60).results[0] for r in (remote, direct))
            if words == ("status", "--attempt", "a.1"):
                said = (json.loads(text.stdout) for text in (here, there))
                assert len({(one["state"], one["pid"], one["log_size"]) for one in said}) == 1
            else:
                assert (here.code, here.stdout, here.stderr) == (there.code, there.stdout, there.stderr)
            assert here.outcome is there.outcome is Outcome.EXITED
    assert standing(farm) == [one], "all of that was asked of one"
    assert starts(farm, "a.1") == 1
    assert agents.stop("a.1", workers=[0], grace_s=1).results[0].code == 0
    assert [s.state for s in agents.status("a.1")] == ["stopped", "absent", "absent"]
    assert [len(standing(farm, worker)) for worker in range(3)] == [1, 1, 1]


def test_refusals_come_through(remote: HeldWorkers, farm: Farm):
    agents = Agents(remote)
    wrong = agents.start({0: spec("b.1", "true", grace_s=-1)}).results[0]
    assert (wrong.code, "grace_s: expected seconds" in wrong.stderr) == (SPEC_WRONG, True)
    unknown = remote.run_each({0: agent_command(bundle(), "status", "--nope")}, timeout_s=60).results[0]
    assert (unknown.code, "unknown option" in unknown.stderr) == (USAGE, True)


def test_a_busy_device_is_said(bare: HeldWorkers, farm: Farm):
    device = at_home(farm) / "device"
    device.touch()
    (at_home(farm) / ".bashrc").write_text(f"export TPUHERD_DEVICE_GLOB={device}\n")
    with device.open():
        agents = Agents(bare)
        agents.install([0])
        busy = agents.start({0: spec("c.1", "true", check_devices=True)}).results[0]
        assert (busy.code, str(os.getpid()) in busy.stderr) == (BUSY, True)
        assert json.loads(busy.stderr)["device_holders"][0]["pid"] == os.getpid()
        assert len(standing(farm)) == 1


def test_what_a_new_session_would_find_changed_is_not_missed(remote: HeldWorkers, farm: Farm):
    agents = Agents(remote)
    say = 'echo "$SAID"'
    assert to_end(begun(agents, {0: spec("d.1", say)}))[0] == b"\n"
    (before,) = standing(farm)
    (at_home(farm) / ".bashrc").write_text("export SAID=hello\n")
    assert to_end(begun(agents, {0: spec("d.2", say)}))[0] == b"hello\n"
    assert to_end(begun(agents, {0: spec("d.3", say)}))[0] == b"hello\n"
    assert wait_for(lambda: before not in standing(farm))
    assert len(standing(farm)) == 1


def begun(agents: Agents, specs: dict[int, dict[str, Any]]) -> Iterator[Frame]:
    """What the agent of the first worker sends."""
    frames: dict[int, Iterator[Frame]] = {}
    agents.run(specs, {0: 0}, frames.__setitem__)
    return frames[0]


def first_lines(frames: Iterator[Frame]) -> bytes:
    log = b""
    while log.count(b"\n") < 3:
        frame = next(frames)
        log += frame.data if isinstance(frame, LogChunk) else b""
    return log


def lost_in_the_middle(frames: Iterator[Frame]) -> bytes:
    """What still comes before the connection is found lost."""
    rest: list[bytes] = []
    with pytest.raises(RemoteError):
        rest.extend(frame.data for frame in frames if isinstance(frame, LogChunk))
    return b"".join(rest)


def test_killed_in_the_middle_of_a_stream_it_is_replaced(remote: HeldWorkers, farm: Farm):
    agents = Agents(remote)
    frames = begun(agents, {0: spec("e.1", LINES)})
    log = first_lines(frames)
    (first,) = standing(farm)
    os.kill(first, signal.SIGKILL)
    log += lost_in_the_middle(frames)
    log += to_end(agents.watch(0, "e.1", len(log)), len(log))[0]
    assert log.decode().splitlines() == EXPECTED
    assert starts(farm, "e.1") == 1
    (second,) = standing(farm)
    assert second != first


def test_one_that_dies_before_it_has_said_anything_is_not_missed(remote: HeldWorkers, farm: Farm):
    agents = Agents(remote)
    assert agents.status("f.1")[0].state == "absent"
    (first,) = standing(farm)
    os.kill(first, signal.SIGSTOP)
    done: list[Any] = []
    asking = threading.Thread(target=lambda: done.append(agents.start({0: spec("f.1", "sleep 600")})))
    asking.start()
    os.kill(first, signal.SIGKILL)
    asking.join(60)
    assert [one.code for one in done[0].results] == [0]
    assert starts(farm, "f.1") == 1
    agents.kill("f.1", workers=[0])


def test_a_child_that_is_killed_is_not_missed_either(remote: HeldWorkers, farm: Farm):
    """It waits for a lock that somebody else has."""
    import fcntl

    agents = Agents(remote)
    agents.status("g.1")
    (one,) = standing(farm)
    lock = at_home(farm) / ".tpuherd" / "attempts" / "g.1" / ".agent" / "lock"
    lock.parent.mkdir(parents=True)
    done: list[Any] = []
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        asking = threading.Thread(target=lambda: done.append(agents.start({0: spec("g.1", "sleep 600")})))
        asking.start()
        assert wait_for(lambda: set(serving(farm, 0)) - {one})
        os.kill(next(iter(set(serving(farm, 0)) - {one})), signal.SIGKILL)
    asking.join(60)
    assert [result.code for result in done[0].results] == [0]
    assert standing(farm) == [one]
    assert starts(farm, "g.1") == 1
    agents.kill("g.1", workers=[0])


def test_much_for_a_slow_reader_keeps_nobody_waiting(remote: HeldWorkers, farm: Farm):
    agents = Agents(remote)
    size = 50 << 20
    much = spec("h.1", f"head -c {size} /dev/zero; sleep 600")
    frames = begun(agents, {0: much})
    log = at_home(farm) / ".tpuherd" / "attempts" / "h.1" / "output.log"
    assert wait_for(lambda: log.stat().st_size == size)
    (one,) = standing(farm)
    for _ in range(3):
        assert agents.status("h.1")[0].log_size == size
    memory = Path(f"/proc/{one}/status").read_text().partition("VmRSS:")[2].split()[0]
    assert int(memory) < 60 << 10, "it keeps little of what nobody reads"
    agents.kill("h.1", workers=[0])
    assert len(to_end(frames)[0]) == size
    assert standing(farm) == [one]


def test_much_input_arrives_whole(remote: HeldWorkers, farm: Farm):
    agents = Agents(remote)
    text = "x" * (3 << 20)
    files = {"large": text}
    assert not agents.start({0: spec("i.1", "true", files=files)}).failed
    assert (at_home(farm) / ".tpuherd" / "attempts" / "i.1" / "large").read_text() == text
    assert len(standing(farm)) == 1


def test_another_agent_takes_its_place(remote: HeldWorkers, farm: Farm, monkeypatch: pytest.MonkeyPatch):
    old = Agents(remote)
    frames = begun(old, {0: spec("j.1", "until [ -e ~/go ]; do sleep 0.05; done; echo end")})
    next(frames)
    (before,) = standing(farm)
    changed = {**sources(), "tpuherd_agent.another": "# more\n"}
    monkeypatch.setattr("tpuherd.agent.bundle.sources", lambda: changed)
    bundle.cache_clear()
    try:
        new = Agents(remote)
        new.install()
        assert new.status("j.1")[0].state == "running"
        assert len(standing(farm)) == 2, "the first one still has somebody who listens"
        (at_home(farm) / "go").touch()
        assert to_end(frames)[0].endswith(b"end\n")
        assert wait_for(lambda: before not in standing(farm))
    finally:
        bundle.cache_clear()


def test_where_there_is_no_agent_it_comes_along(bare: HeldWorkers, farm: Farm):
    asked = bare.run_each({1: agent_command(bundle(), "status")}, timeout_s=60).results[0]
    assert (asked.code, json.loads(asked.stdout)) == (0, {"attempts": []})
    assert len(standing(farm, 1)) == 1


def test_where_it_cannot_stay_that_is_said_as_before(bare: HeldWorkers, farm: Farm):
    blocked = at_home(farm, 1) / ".tpuherd"
    blocked.touch()
    missing = bare.run_each({1: agent_command(bundle(), "status")}, timeout_s=60).results[0]
    assert (missing.code, "can't open file" in missing.stderr) == (2, True)
    assert standing(farm, 1) == []
    blocked.unlink()
    assert not Agents(bare).start({1: spec("k.1", "sleep 600")}).failed
    assert wait_for(lambda: starts(farm, "k.1", 1) == 1)
    Agents(bare).kill("k.1", workers=[1])


def test_what_an_agent_does_not_do_is_done_in_the_long_way(remote: HeldWorkers, farm: Farm):
    words = ("sync", "--snapshot", "s", "--base", "b", "--digest", "d", "--ready", "true")
    call = AgentCall(digest=bundle().digest, words=words)
    both = RemoteCommand(command="echo the long way; cat", stdin=b" it was", call=call)
    done = remote.run_each({0: both}, timeout_s=60).results[0]
    assert (done.code, done.stdout) == (0, "the long way\n it was")
    assert len(standing(farm)) == 1
    alone = remote.run_each({0: agent_command(bundle(), *words)}, timeout_s=60).results[0]
    assert (alone.code, alone.stdout, alone.stderr) == (LONG_WAY, "", "")


def test_they_end_with_their_connections(remote: HeldWorkers, farm: Farm):
    Agents(remote).status("l.1")
    assert [len(standing(farm, worker)) for worker in range(3)] == [1, 1, 1]
    close_connections(None)
    assert wait_for(lambda: not any(standing(farm, worker) for worker in range(3)))


def test_a_killed_holder_loses_no_line(remote: HeldWorkers, farm: Farm, home: Path):
    """What it followed goes on, and is followed again, over whatever connection."""
    agents = Agents(remote)
    frames = begun(agents, {0: spec("m.1", LINES)})
    log = first_lines(frames)
    (holder,) = holders(home)
    os.kill(holder, signal.SIGKILL)
    log += lost_in_the_middle(frames)
    assert wait_for(lambda: not standing(farm))
    log += to_end(agents.watch(0, "m.1", len(log)), len(log))[0]
    assert log.decode().splitlines() == EXPECTED
    assert starts(farm, "m.1") == 1
