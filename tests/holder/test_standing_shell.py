"""Commands of users by agents that stand by: what they see and say is what an SSH session gives them."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from herd import wait_for
from test_standing import at_home, bare, parent, remote, standing

from tpuherd.agent.bundle import bundle
from tpuherd.agent.client import Agents
from tpuherd.remote import Outcome, RemoteWorkers

if TYPE_CHECKING:
    from pathlib import Path

    from farm import Farm

    from tpuherd.holder.workers import HeldWorkers
    from tpuherd.remote import RemoteResult

__all__ = ["bare", "remote"]
SESSION_S = 60.0


def told(workers: RemoteWorkers, command: str, stdin: bytes | None = None) -> RemoteResult:
    done = workers.run(command, workers=[0], stdin=stdin, timeout_s=SESSION_S, mark="a-user's")
    return done.results[0]


@pytest.fixture
def ready(remote: HeldWorkers, farm: Farm) -> HeldWorkers:
    """An agent stands by on each worker."""
    assert [one.state for one in Agents(remote).status("none.1")] == ["absent"] * 3
    assert [len(standing(farm, worker)) for worker in range(3)] == [1, 1, 1]
    return remote


OF_THE_C_LIBRARY = "sed 's/180000000$/000000000/'"
"""Two signals that no program has for itself."""
COMMANDS = {
    "output": ("echo out; echo err >&2; exit 7", None),
    "input": ("cat; exit 3", b"some\0input\n" * 40_000),
    "unread-input": ("true", b"x" * 3_000_000),
    "much-output": ("head -c 3000000 /dev/zero | tr '\\0' x", None),
    "a-signal": ("kill -9 $$", None),
    "late-output": ("(sleep 1; echo late) & echo soon", None),
    "no-such-command": ("no-such-command", None),
    "folder-and-shell": ("pwd; echo $0 $SHELL; umask; ulimit -a; trap; echo $-", None),
    "ignored-signals": (f"grep -E 'Sig(Ign|Blk)' /proc/self/status | {OF_THE_C_LIBRARY}", None),
    "open-files": ("ls /proc/self/fd", None),
    "session": ('test "$(ps -o sid= -p $$)" -eq $$; echo $?', None),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_it_is_as_in_a_session_of_its_own(name: str, ready: HeldWorkers, farm: Farm, tmp_path: Path):
    with RemoteWorkers(farm.workers, farm.access, tmp_path / "others") as direct:
        here, there = (told(workers, *COMMANDS[name]) for workers in (ready, direct))
    assert (here.outcome, here.code, here.stdout) == (there.outcome, there.code, there.stdout)
    assert here.stderr == there.stderr


def test_its_variables_are_those_of_a_session(ready: HeldWorkers, farm: Farm, tmp_path: Path):
    with RemoteWorkers(farm.workers, farm.access, tmp_path / "others") as direct:
        here, there = (set(told(w, "env").stdout.splitlines()) for w in (ready, direct))
    differ = {line.partition("=")[0] for line in here ^ there}
    assert differ <= {"_", "SSH_CLIENT", "SSH_CONNECTION", "XDG_SESSION_ID"}, here ^ there


def test_it_is_a_child_of_the_agent(ready: HeldWorkers, farm: Farm):
    assert int(told(ready, "echo $PPID").stdout) == standing(farm)[0]


def test_what_a_login_would_find_changed_is_not_missed(ready: HeldWorkers, farm: Farm):
    (at_home(farm) / ".bashrc").write_text("export SAID=hello\n")
    assert told(ready, "echo $SAID").stdout == "hello\n"


def test_an_agent_that_dies_takes_its_command_along_once(ready: HeldWorkers, farm: Farm):
    (agent,) = standing(farm)
    done = told(ready, f"echo begun >> ~/times; kill -9 {agent}; sleep 0.5; exit 1")
    assert done.outcome is Outcome.LOST
    assert "may still be running" in done.reason
    assert (at_home(farm) / "times").read_text() == "begun\n"
    again = told(ready, "echo begun >> ~/times")
    assert again.succeeded, "by a session of its own"
    assert (at_home(farm) / "times").read_text() == "begun\n" * 2


def test_after_a_command_agents_stand_by_for_the_next(remote: HeldWorkers, farm: Farm):
    assert told(remote, "echo $PPID").succeeded
    assert wait_for(lambda: int(told(remote, "echo $PPID").stdout) in standing(farm))


def test_an_agent_that_is_missing_is_sent_there(bare: HeldWorkers, farm: Farm):
    assert not told(bare, "ls ~/.tpuherd").succeeded, "the first command does not wait for it"
    assert wait_for(lambda: int(told(bare, "echo $PPID").stdout) in standing(farm))
    (script,) = at_home(farm).glob(".tpuherd/agent/*.py")
    assert script.read_bytes() == bundle().content
    assert oct(script.stat().st_mode) == "0o100600"
    assert not list(script.parent.glob("*.tmp"))


def test_where_no_agent_can_be_it_is_a_session(bare: HeldWorkers, farm: Farm):
    (at_home(farm) / ".tpuherd").touch()
    for _ in range(2):
        assert told(bare, "echo said").stdout == "said\n"
    assert not standing(farm)


def test_what_nobody_waits_for_any_more_is_not_held_up(ready: HeldWorkers, farm: Farm):
    """Its pipes are closed, as by an SSH server."""
    done = ready.run("echo $$ > ~/pid; yes", workers=[0], timeout_s=2, mark="yes").results[0]
    assert done.outcome is Outcome.TIMED_OUT
    pid = int((at_home(farm) / "pid").read_text())
    assert wait_for(lambda: not parent(pid) or os.kill(pid, signal.SIGPIPE))
