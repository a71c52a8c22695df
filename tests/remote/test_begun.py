"""Connections that are begun before it is known that they are needed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from farm import worker

from tpuherd.errors import RemoteError
from tpuherd.remote import Outcome, RemoteWorkers, UnreachableError
from tpuherd.remote.dialer import Dialer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from farm import Farm


@pytest.fixture
def known(farm: Farm, tmp_path: Path) -> Path:
    """The host keys of all workers."""
    with RemoteWorkers(farm.workers, farm.access, tmp_path / "known_hosts") as remote:
        remote.connect(60)
    return tmp_path / "known_hosts"


@pytest.fixture
def remote(farm: Farm, known: Path) -> Iterator[RemoteWorkers]:
    with RemoteWorkers(farm.workers, farm.access, known, connect_timeout_s=20) as workers:
        yield workers


@pytest.fixture
def dialed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The indices of the workers that were dialed, as often as they were."""
    found, dial = [], Dialer.dial

    def counted(self, one, timeout_s):
        found.append(one.index)
        return dial(self, one, timeout_s)

    monkeypatch.setattr(Dialer, "dial", counted)
    return found


def test_a_command_uses_them(remote, dialed):
    remote.begin([1, 3])
    remote.begin([3])
    done = remote.run("echo hello", workers=[1, 2, 3], timeout_s=60)
    assert [result.stdout for result in done.results] == ["hello\n"] * 3
    assert sorted(dialed) == [1, 2, 3]
    remote.begin([1, 2])
    assert not remote.run("true", timeout_s=60).failed
    assert sorted(dialed) == list(range(8))


def test_no_worker_is_trusted_by_it(farm, tmp_path, dialed):
    with RemoteWorkers(farm.workers, farm.access, tmp_path / "none") as remote:
        remote.begin(range(8))
        assert not dialed
        assert not remote.run("true", workers=[0], timeout_s=60).failed


def test_why_there_is_none_is_said_and_it_is_tried_again_later(fragile_farm, tmp_path, dialed):
    with RemoteWorkers(fragile_farm.workers, fragile_farm.access, tmp_path / "known_hosts") as remote:
        remote.connect(60)
    del dialed[:]
    fragile_farm.servers[2].stop()
    with RemoteWorkers(fragile_farm.workers, fragile_farm.access, tmp_path / "known_hosts") as remote:
        remote.begin([2])
        (result,) = remote.run("true", workers=[2], timeout_s=60).results
        assert (result.outcome, dialed) == (Outcome.UNREACHABLE, [2])
        assert "refused" in result.reason
        fragile_farm.servers[2].start()
        assert not remote.run("true", workers=[2], timeout_s=60).failed


def test_one_that_is_lost_meanwhile_is_made_anew(remote, farm, dialed):
    remote.begin([0])
    link = remote._links[0]
    link._begun.result(60).transport.close()
    assert not remote.run("true", workers=[0], timeout_s=60).failed
    assert dialed == [0, 0]


def test_one_that_nobody_wanted_is_closed(remote):
    remote.begin([0])
    begun = remote._links[0]._begun
    remote.close()
    begun.result(60)
    deadline = time.monotonic() + 60
    while begun.result().is_connected and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not begun.result().is_connected


def test_a_time_out_does_not_wait_for_it(farm, known, monkeypatch):
    def dial(*_, **__):
        time.sleep(3)
        raise UnreachableError("late")

    monkeypatch.setattr(Dialer, "dial", dial)
    with RemoteWorkers([worker(0, farm.workers[0].ssh_address)], farm.access, known) as remote:
        remote.begin([0])
        (result,) = remote.run("true", timeout_s=0.2).results
    assert result.outcome is Outcome.UNREACHABLE
    assert "did not answer within" in result.reason


def test_a_worker_that_is_not_there(remote):
    with pytest.raises(RemoteError, match="there is no worker 9"):
        remote.begin([9])
