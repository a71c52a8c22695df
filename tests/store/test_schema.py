"""Migrations, versions, and many processes that open a store at once."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from tpuherd.errors import StateError
from tpuherd.store.store import Store
from tpuherd.store.tables import metadata

if TYPE_CHECKING:
    from pathlib import Path

OPEN = "import sys; from tpuherd.store.store import Store; print(len(Store(sys.argv[1]).jobs.all()))"


def test_migrations_lead_to_exactly_the_tables(store: Store) -> None:
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_a_newer_schema_is_refused_and_stays_as_it_is(url: str, store: Store) -> None:
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StateError, match=r"schema 9999.*"):
        Store(url)
    with store.engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "9999"


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tpuherd.sqlite"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StateError, match="cannot open the store"):
        Store(f"sqlite:///{path}")
    assert path.read_bytes().startswith(b"no database")


@pytest.mark.slow
def test_eight_processes_open_a_fresh_store_at_once(url: str) -> None:
    opening = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(8)
    ]
    said = [process.communicate(timeout=60) for process in opening]
    assert [process.returncode for process in opening] == [0] * 8, said
    assert {out for out, _ in said} == {"0\n"}


def test_a_process_killed_while_it_migrates_leaves_an_openable_store(url: str, tmp_path: Path) -> None:
    killed = 0
    for delay_s in (0.2, 0.3, 0.4, 0.5):
        process = subprocess.Popen([sys.executable, "-c", OPEN, url], stdout=subprocess.DEVNULL)
        try:
            process.wait(delay_s)
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        process.wait()
        opened = Store(url)
        assert opened.jobs.all() == []
        opened.engine.dispose()
        (tmp_path / "home" / "tpuherd.sqlite").unlink()
    assert killed
