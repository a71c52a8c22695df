"""Starting an attempt: the agent is installed where it is missing; where it is there, that costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tpuherd.agent.client import Agents
from tpuherd.errors import WorkloadError
from tpuherd.remote import RemoteWorkers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from farm import Farm


class Counting(RemoteWorkers):
    """Notes on which workers each command ran."""

    trips: list[list[int]]

    def follow_each(self, commands: Any, **more: Any) -> None:
        self.trips.append(sorted(commands))
        super().follow_each(commands, **more)


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
