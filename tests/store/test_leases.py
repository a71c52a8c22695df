"""Leases: one controller per job, also when many want it and some die."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert, update
from store_records import job_record

from tpuherd.store.leases import is_gone, this_process
from tpuherd.store.tables import leases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.store.store import Store

JOB = "bench-1a2b"
TAKE = """
import sys, time
from tpuherd.store.store import Store
store = Store(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
print(store.leases.take(sys.argv[2]) is None, flush=True)
time.sleep(60)
"""


class Taker:
    """Another process that tries to take the lease when told."""

    def __init__(self, url: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE, url, JOB], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdin
        assert self.process.stdout
        self._input, self._output = self.process.stdin, self.process.stdout
        assert self._output.readline() == "ready\n"

    def go(self) -> None:
        self._input.write("go\n")
        self._input.flush()

    def took_it(self) -> bool:
        return self._output.readline() == "True\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._input.close()
        self._output.close()


@pytest.fixture
def takers(url: str, store: Store) -> Iterator[list[Taker]]:
    store.jobs.add(job_record(JOB))
    made = [Taker(url) for _ in range(3)]
    yield made
    for taker in made:
        taker.kill()


def hold(store: Store, holder: str, expires_at: float) -> None:
    store.jobs.add(job_record(JOB))
    with store.engine.begin() as connection:
        connection.execute(insert(leases).values(job_id=JOB, holder=holder, expires_at=expires_at))


def in_an_hour() -> float:
    return time.time() + 3600


def test_of_racing_processes_exactly_one_gets_it(takers: list[Taker]) -> None:
    for taker in takers:
        taker.go()
    assert sorted(taker.took_it() for taker in takers) == [False, False, True]


def test_of_a_dead_process_it_is_taken_at_once(store: Store, takers: list[Taker]) -> None:
    takers[0].go()
    assert takers[0].took_it()
    assert store.leases.take(JOB) is not None
    takers[0].process.send_signal(signal.SIGKILL)
    takers[0].process.wait()
    assert store.leases.take(JOB) is None
    assert store.leases.holder(JOB) == this_process()


def test_a_zombie_counts_as_dead(store: Store, takers: list[Taker]) -> None:
    takers[0].go()
    assert takers[0].took_it()
    takers[0].process.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, takers[0].process.pid, os.WEXITED | os.WNOWAIT)
    assert store.leases.take(JOB) is None


def test_a_reused_pid_is_not_taken_for_its_predecessor(store: Store) -> None:
    predecessor = f"{socket.gethostname()}:{os.getppid()}:12"
    hold(store, predecessor, in_an_hour())
    assert is_gone(predecessor)
    assert store.leases.take(JOB) is None


def test_of_another_host_it_is_respected_until_it_expires(store: Store) -> None:
    elsewhere = "elsewhere:1:1"
    hold(store, elsewhere, in_an_hour())
    assert not is_gone(elsewhere)
    assert store.leases.take(JOB) == elsewhere
    with store.engine.begin() as connection:
        connection.execute(update(leases).values(expires_at=time.time() - 1))
    assert store.leases.holder(JOB) is None
    assert store.leases.take(JOB) is None


def test_a_lost_lease_is_noticed_and_not_given_back(store: Store) -> None:
    store.jobs.add(job_record(JOB))
    assert store.leases.take(JOB) is None
    assert store.leases.renew(JOB)
    with store.engine.begin() as connection:
        connection.execute(update(leases).values(holder="elsewhere:1:1"))
    assert not store.leases.renew(JOB)
    store.leases.give_back(JOB)
    assert store.leases.holder(JOB) == "elsewhere:1:1"


def test_given_back_it_is_free(store: Store) -> None:
    store.jobs.add(job_record(JOB))
    store.leases.take(JOB)
    store.leases.give_back(JOB)
    assert store.leases.holder(JOB) is None
