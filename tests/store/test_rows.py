"""Jobs, attempts and stages as rows; and writers that are killed."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

import pytest
from sqlalchemy import text
from store_records import job_record

from tpuherd.errors import StateError
from tpuherd.store.records import JobState, StageState
from tpuherd.store.store import Store

WRITE = """
import sys
from tpuherd.store.store import Store
store = Store(sys.argv[1])
number = 1
while True:
    store.stages.start("bench-1a2b", number, "provision")
    store.stages.finish("bench-1a2b", number, "provision", "{}")
    begun = {"zone": None, "resume": True, "diagnosis": "{}", "recovery": "Wait"}
    store.attempts.begin_next("bench-1a2b", number + 1, **begun, kept=["provision"])
    number += 1
    print(number, flush=True)
"""


def test_a_job_comes_back_as_it_went_in(store: Store) -> None:
    store.jobs.add(job_record())
    assert store.jobs.get("bench-1a2b") == job_record()
    assert [row.number for row in store.attempts.all("bench-1a2b")] == [1]


@pytest.mark.parametrize("word", ["bench-1a2b", "bench-1", "bench"])
def test_a_job_is_found_by_id_start_and_name(store: Store, word: str) -> None:
    store.jobs.add(job_record())
    assert store.jobs.find(word).id == "bench-1a2b"


def test_a_name_means_its_newest_job(store: Store) -> None:
    for job_id, created_at in (("bench-1a2b", 1.0), ("bench-3c4d", 2.0)):
        store.jobs.add(replace(job_record(job_id), created_at=created_at))
    assert store.jobs.find("bench").id == "bench-3c4d"


def test_a_word_that_means_several_jobs_is_refused(store: Store) -> None:
    for job_id in ("bench-1a2b", "bench-1c4d"):
        store.jobs.add(job_record(job_id))
    with pytest.raises(StateError, match="may mean bench-1a2b, bench-1c4d"):
        store.jobs.find("bench-1")
    with pytest.raises(StateError, match="there is no job 'other'"):
        store.jobs.find("other")


def test_a_stage_begun_again_forgets_the_interrupted_try(store: Store) -> None:
    store.jobs.add(job_record())
    store.stages.start("bench-1a2b", 1, "provision")
    store.stages.fail("bench-1a2b", 1, "provision", "no capacity")
    store.stages.start("bench-1a2b", 1, "provision")
    row = store.stages.get("bench-1a2b", 1, "provision")
    assert row
    assert (row.state, row.error, row.ended_at) == (StageState.STARTED, None, None)


def test_the_next_attempt_begins_with_what_is_kept_and_done(store: Store) -> None:
    store.jobs.add(job_record())
    for stage in ("provision", "prepare_env", "sync_code"):
        store.stages.start("bench-1a2b", 1, stage)
    store.stages.finish("bench-1a2b", 1, "provision", '"slices"')
    store.stages.finish("bench-1a2b", 1, "prepare_env", '"venv"')
    store.attempts.begin_next(
        "bench-1a2b",
        2,
        zone="b",
        resume=True,
        diagnosis="{}",
        recovery="RestartInPlace",
        kept=["provision", "sync_code"],
    )
    rows = {row.stage: row for row in store.stages.all("bench-1a2b") if row.attempt == 2}
    assert list(rows) == ["provision"]
    assert (rows["provision"].state, rows["provision"].result) == (StageState.DONE, '"slices"')
    assert store.jobs.get("bench-1a2b").attempt == 2
    assert [row.recovery for row in store.attempts.all("bench-1a2b")] == ["RestartInPlace", None]


def test_a_concluded_job_is_live_until_it_has_ended(store: Store) -> None:
    store.jobs.add(job_record())
    assert not store.jobs.get("bench-1a2b").concluded
    store.jobs.conclude("bench-1a2b", 8, "w0 failed")
    record = store.jobs.get("bench-1a2b")
    assert (record.concluded, record.state, record.exit_code) == (True, JobState.LIVE, 8)


def test_a_removed_job_leaves_no_row(store: Store) -> None:
    store.jobs.add(job_record())
    store.stages.start("bench-1a2b", 1, "provision")
    store.leases.take("bench-1a2b")
    store.jobs.remove("bench-1a2b")
    with store.engine.connect() as connection:
        for table in ("jobs", "attempts", "stages", "leases"):
            assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar() == 0


def test_killed_writers_leave_a_sound_store_and_whole_transactions(store: Store, url: str) -> None:
    store.jobs.add(job_record())
    with subprocess.Popen([sys.executable, "-c", WRITE, url], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        for _ in range(5):
            writer.stdout.readline()
        time.sleep(0.003)
        writer.kill()
    reopened = Store(url)
    with reopened.engine.connect() as connection:
        assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"
    newest = reopened.jobs.get("bench-1a2b").attempt
    assert newest >= 6
    assert [row.number for row in reopened.attempts.all("bench-1a2b")] == list(range(1, newest + 1))
    assert {row.attempt for row in reopened.stages.all("bench-1a2b")} >= set(range(1, newest + 1))
    reopened.engine.dispose()
