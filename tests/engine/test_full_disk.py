"""A disk of this machine that takes nothing more: jobs wait for room, and lose nothing."""

from __future__ import annotations

import resource
import sqlite3
import time
from contextlib import closing, contextmanager

import pytest
from clouded import eventually

from tpuherd.engine import lease_keeper, local_log, local_trouble
from tpuherd.engine.lease_keeper import LeaseKeeper
from tpuherd.engine.local_log import LocalLog
from tpuherd.engine.local_trouble import enduring
from tpuherd.errors import LocalError, TpuherdError
from tpuherd.manager import make_plugin_manager
from tpuherd.store.records import JobRecord, JobState
from tpuherd.store.store import Store
from tpuherd.testing import JobFactory

LIMIT_BYTES = 64
JOB = "test-0000"


def limit(soft=None):
    """Let this process write files of that size only; `None`: of any."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if soft is None else soft, hard))


@contextmanager
def full_disk():
    limit(LIMIT_BYTES)
    try:
        yield
    finally:
        limit()


@pytest.fixture
def store(tmp_path):
    made = Store(f"sqlite:///{tmp_path / 'tpuherd.sqlite'}")
    made.jobs.add(record())
    yield made
    made.engine.dispose()


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(local_log, "AGAIN_S", 0.01)
    monkeypatch.setattr(local_trouble, "FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(lease_keeper, "WANTED_POLL_S", 0.01)
    monkeypatch.setattr(lease_keeper, "RENEW_S", 0.0)


def record():
    return JobRecord(
        id=JOB, name="test", owner="ada", file="f", base_directory="/", text="", overrides=[], digest="0",
        directory="/", keep=False, state=JobState.LIVE, wanted="run", attempt=1, created_at=1.0,
        ended_at=None, exit_code=None, message="",
    )  # fmt: skip


def test_a_log_waits_for_room_and_has_each_byte_once(tmp_path):
    lines, told = [], []

    def room_again(error):
        told.append(error.strerror)
        limit()

    log = LocalLog(tmp_path / "worker-0.log", lines.append, room_again)
    sent = "".join(f"line {number}\n" for number in range(20))
    log.append(0, sent[:14].encode())
    with full_disk():
        log.append(7, sent[7:].encode())
    assert (tmp_path / "worker-0.log").read_text() == sent
    assert lines == sent.splitlines()
    assert told == ["File too large"]


def test_whoever_waits_for_room_may_be_told_to_stop(tmp_path):
    class Enough(Exception):
        pass

    def enough(_error):
        raise Enough

    log = LocalLog(tmp_path / "worker-0.log", lambda _: None, enough)
    with full_disk(), pytest.raises(Enough):
        log.append(0, b"x" * 1000)


def test_a_store_that_cannot_be_written_is_an_error_of_this_machine_and_stays_whole(store, tmp_path):
    with full_disk(), pytest.raises(LocalError, match="the store cannot be used: "):
        store.jobs.want(JOB, "cancel")
    assert store.jobs.get(JOB).wanted == "run"
    store.jobs.want(JOB, "cancel")
    assert store.jobs.get(JOB).wanted == "cancel"
    with closing(sqlite3.connect(tmp_path / "tpuherd.sqlite")) as found:
        assert found.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_the_work_on_a_job_is_done_again_when_there_is_room(store, tmp_path, monkeypatch):
    job = JobFactory(make_plugin_manager(), tmp_path)()
    tries, notes = [], []

    def note(text):
        notes.append(text)
        limit()

    monkeypatch.setattr(job.session.reporter, "note", note)

    def work():
        tries.append("try")
        store.jobs.want(JOB, "cancel")
        return "done"

    with full_disk():
        assert enduring(job.session, store, JOB, work) == "done"
    assert len(tries) == 2
    assert "what runs on the workers goes on" in notes[0]


def test_other_errors_are_not_endured(store, tmp_path):
    job = JobFactory(make_plugin_manager(), tmp_path)()

    def work():
        raise TpuherdError("no")

    with pytest.raises(TpuherdError, match="no"):
        enduring(job.session, store, JOB, work)


def test_a_lease_is_renewed_again_when_there_is_room(store, monkeypatch):
    tried = []
    renew = store.leases.renew

    def counting(job_id):
        tried.append(job_id)
        return renew(job_id)

    monkeypatch.setattr(store.leases, "renew", counting)
    keeper = LeaseKeeper(store, JOB, tried.append, lambda: tried.append("lost"))
    keeper.take()
    with full_disk():
        before = len(tried)
        eventually(lambda: len(tried) > before + 3)
    before = len(tried)
    moment = time.time()
    eventually(lambda: len(tried) > before + 3)
    with store.engine.connect() as connection:
        expires_at = connection.exec_driver_sql("SELECT expires_at FROM leases").scalar()
    assert expires_at > moment + lease_keeper.LEASE_S - 1
    keeper.give_back()
    assert set(tried) == {JOB}
    assert store.leases.holder(JOB) is None
