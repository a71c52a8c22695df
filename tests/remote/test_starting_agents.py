"""Starting an attempt: the agent is installed where it is missing; where it is there, that costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tpuherd.agent.answers import LogChunk, Status
from tpuherd.agent.bundle import bundle
from tpuherd.agent.client import Agents
from tpuherd.errors import WorkloadError
from tpuherd.remote import RemoteWorkers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from farm import Farm

    from tpuherd.agent.answers import Frame
    from tpuherd.remote import RemoteStream


class Counting(RemoteWorkers):
    """Notes on which workers each command ran."""

    trips: list[list[int]]

    def follow_each(self, commands: Any, **more: Any) -> None:
        self.trips.append(sorted(commands))
        super().follow_each(commands, **more)

    def open_stream(self, worker_index: int, *what: Any, **more: Any) -> RemoteStream:
        self.trips.append([worker_index])
        return super().open_stream(worker_index, *what, **more)


@pytest.fixture
def remote(fragile_farm: Farm, tmp_path: Path) -> Iterator[Counting]:
    with Counting(fragile_farm.workers, fragile_farm.access, tmp_path / "known_hosts") as made:
        made.trips = []
        yield made


def specs(attempt: str, script: str = "exit 0") -> dict[int, dict[str, Any]]:
    spec = {"attempt": attempt, "argv": ["sh", "-c", script], "check_devices": False}
    return dict.fromkeys(range(3), spec)


def test_only_who_has_none_gets_one(remote: Counting) -> None:
    agents = Agents(remote)
    agents.install([1])
    remote.trips.clear()
    started = agents.start(specs("job.1", "echo once >> $HOME/started"))
    assert [one.code for one in started.results] == [0, 0, 0]
    assert [one.worker.index for one in started.results] == [0, 1, 2]
    assert remote.trips == [[0, 1, 2], [0, 2], [0, 2]]

    remote.trips.clear()
    assert not agents.start(specs("job.2")).failed
    assert remote.trips == [[0, 1, 2]], "one round trip"

    assert not agents.start(specs("job.1", "echo once >> $HOME/started")).failed
    done = remote.run('cd "$HOME"; until [ -s started ]; do sleep 0.05; done; cat started', timeout_s=30)
    assert [one.stdout for one in done.results] == ["once\n"] * 3


def test_a_worker_on_which_it_cannot_be_installed_is_named(remote: Counting) -> None:
    remote.run('mkdir -p "$HOME/.tpuherd" && touch "$HOME/.tpuherd/agent"', workers=[2], timeout_s=30)
    with pytest.raises(WorkloadError, match="installing the agent: 2 of 3 workers succeeded; w2"):
        Agents(remote).start(specs("job.1"))


def test_killed_at_once(remote: Counting) -> None:
    agents = Agents(remote)
    assert not agents.start(specs("job.1", "sleep 600")).failed
    assert [state.signal for state in agents.kill("job.1", workers=[0, 2])] == ["SIGKILL"] * 2
    assert [state.state for state in agents.status("job.1")] == ["signalled", "running", "signalled"]
    assert not agents.stop("job.1", workers=[1], grace_s=1).failed


def followed(frames: Any) -> tuple[bytes, str]:
    """The log, and the last state."""
    seen = list(frames)
    log = b"".join(frame.data for frame in seen if isinstance(frame, LogChunk))
    return log, [frame.state for frame in seen if isinstance(frame, Status)][-1]


def test_one_command_starts_it_and_follows_it(remote: Counting) -> None:
    agents = Agents(remote)
    agents.install([1])
    remote.trips.clear()
    begun: dict[int, Iterator[Frame]] = {}
    one = specs("job.1", "echo once >> $HOME/started; echo hello")
    agents.run(one, dict.fromkeys(range(3), 0), begun.__setitem__)
    assert sorted(remote.trips[:3]) == [[0], [1], [2]]
    assert sorted(remote.trips[3:]) == [[0], [2]], "only who has none gets one, and goes on with it"
    assert {index: followed(frames) for index, frames in begun.items()} == dict.fromkeys(
        range(3), (b"hello\n", "exited")
    )

    remote.trips.clear()
    agents.run(one, {0: 0, 1: 2, 2: 6}, begun.__setitem__)
    assert sorted(remote.trips) == [[0], [1], [2]], "one round trip"
    assert [followed(begun[index])[0] for index in range(3)] == [b"hello\n", b"llo\n", b""]
    done = remote.run('cat "$HOME/started"', timeout_s=30)
    assert [one.stdout for one in done.results] == ["once\n"] * 3


def test_one_that_refuses_is_named_with_its_words(remote: Counting) -> None:
    Agents(remote).install()
    wrong = specs("job.1", "sleep 600")
    wrong[1] = {**wrong[1], "cwd": "$HOME/missing"}
    with pytest.raises(WorkloadError) as caught:
        Agents(remote).run(wrong, dict.fromkeys(range(3), 0), lambda *_: None)
    assert "starting the workload: 2 of 3 workers succeeded; w1 failed: exit 65" in str(caught.value)
    assert "no folder" in str(caught.value)
    assert not Agents(remote).stop("job.1", workers=[0, 1, 2], grace_s=1).failed


def test_a_worker_that_does_not_answer_is_named(remote: Counting, fragile_farm: Farm) -> None:
    Agents(remote).install()
    fragile_farm.servers[2].stop()
    with pytest.raises(WorkloadError, match=r"2 of 3 workers succeeded; w2 (unreachable|lost)"):
        Agents(remote).run(specs("job.1"), dict.fromkeys(range(3), 0), lambda *_: None)


def test_an_agent_that_a_crash_has_cut_short_is_replaced(remote: Counting) -> None:
    agents = Agents(remote)
    agents.install()
    file = f"$HOME/.tpuherd/agent/{bundle().digest}.py"
    cut = f'head -c 9000 "{file}" > "{file}.cut" && mv "{file}.cut" "{file}"'
    assert not remote.run(cut, workers=[0], timeout_s=30).failed
    begun: dict[int, Iterator[Frame]] = {}
    agents.run(specs("job.1", "echo hello"), dict.fromkeys(range(3), 0), begun.__setitem__)
    assert [followed(begun[index]) for index in range(3)] == [(b"hello\n", "exited")] * 3


def test_workers_that_are_new_get_it_with_the_first_command(remote: Counting) -> None:
    agents = Agents(remote)
    begun: dict[int, Iterator[Frame]] = {}
    agents.run(specs("job.1", "echo hello"), dict.fromkeys(range(3), 0), begun.__setitem__, new=True)
    assert sorted(remote.trips) == [[0], [1], [2]], "nobody is asked first"
    assert {index: followed(frames) for index, frames in begun.items()} == dict.fromkeys(
        range(3), (b"hello\n", "exited")
    )
    assert not agents.start(specs("job.2")).failed
    assert len(remote.trips) == 4, "it has stayed"


def test_one_that_is_called_new_and_has_one_goes_on(remote: Counting) -> None:
    agents = Agents(remote)
    agents.install()
    one, begun = specs("job.1", "echo once >> $HOME/started"), {}
    for _ in range(2):
        agents.run(one, dict.fromkeys(range(3), 0), begun.__setitem__, new=True)
        assert {followed(frames) for frames in begun.values()} == {(b"", "exited")}
    done = remote.run('cat "$HOME/started"', timeout_s=30)
    assert [one.stdout for one in done.results] == ["once\n"] * 3
