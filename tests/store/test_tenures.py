"""How long jobs may hold slices, and the id of the store."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text
from store_records import job_record

from tpuherd.store import database
from tpuherd.store.store import Store

if TYPE_CHECKING:
    from pathlib import Path

JOB = "bench-1a2b"
SAY_ID = "import sys; from tpuherd.store.store import Store; print(Store(sys.argv[1]).settings.store_id)"


def test_a_store_has_one_id_and_another_store_has_another(url: str, store: Store, tmp_path: Path) -> None:
    again, other = Store(url), Store(f"sqlite:///{tmp_path / 'other.sqlite'}")
    assert again.settings.store_id == store.settings.store_id != other.settings.store_id
    assert len(store.settings.store_id) == 16
    again.engine.dispose()
    other.engine.dispose()


@pytest.mark.slow
def test_racing_openers_agree_on_the_id(url: str) -> None:
    opening = [
        subprocess.Popen([sys.executable, "-c", SAY_ID, url], stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    said = {process.communicate(timeout=60)[0] for process in opening}
    assert len(said) == 1
    assert said != {"\n"}


def test_a_ttl_counts_from_the_request_that_gave_the_slices(store: Store) -> None:
    store.jobs.add(replace(job_record(JOB), ttl_s=100.0))
    assert store.jobs.get(JOB).expires_at is None
    first = store.tenures.begin(JOB)
    assert first == pytest.approx(time.time() + 100, abs=30)
    time.sleep(0.01)
    second = store.tenures.begin(JOB)
    assert second is not None
    assert first is not None
    assert second > first, "the first request gave nothing"
    store.stages.start(JOB, 1, "provision")
    store.stages.finish(JOB, 1, "provision", "{}")
    assert store.tenures.begin(JOB) == second == store.jobs.get(JOB).expires_at


def test_without_a_ttl_nothing_expires(store: Store) -> None:
    store.jobs.add(job_record(JOB))
    assert store.tenures.begin(JOB) is None
    assert store.tenures.begin("nobody") is None


def test_stages_and_marks_are_uses(store: Store) -> None:
    store.jobs.add(job_record(JOB))
    assert store.tenures.last_use(JOB) == 1.0
    before = time.time()
    store.stages.start(JOB, 1, "provision")
    started = store.tenures.last_use(JOB)
    assert started >= before
    time.sleep(0.01)
    store.stages.finish(JOB, 1, "provision", "{}")
    ended = store.tenures.last_use(JOB)
    assert ended > started
    time.sleep(0.01)
    store.tenures.use(JOB)
    assert store.tenures.last_use(JOB) > ended
    assert store.tenures.last_use("nobody") == 0.0


def test_jobs_of_the_first_schema_are_still_there_without_limits(url: str, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    engine = create_engine(url)
    config = Config()
    config.set_main_option("script_location", f"{database.__file__.removesuffix('database.py')}migrations")
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(
            text(
                "INSERT INTO jobs VALUES ('bench-1a2b', 'bench', 'ada', '/f', '/', '', '[]', '0', '/d', 1, "
                "'succeeded',"
                " 'run', 1, 5.0, 6.0, 0, '')"
            )
        )
        connection.commit()
    engine.dispose()
    opened = Store(url)
    record = opened.jobs.get(JOB)
    assert record.keep
    assert (record.ttl_s, record.expires_at, record.idle_timeout_s, record.used_at) == (None,) * 4
    assert opened.tenures.last_use(JOB) == 6.0
    opened.engine.dispose()
