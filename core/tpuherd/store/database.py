"""Opening the store: connection settings, schema version, migrations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import create_engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from tpuherd.errors import LocalError, StateError

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy import Engine
    from sqlalchemy.engine import ExceptionContext

SCHEMA_VERSION = "0005"
"""The newest migration in `migrations/versions`."""
BUSY_TIMEOUT_MS = 20_000
"""How long a writer waits for another process's transaction."""
POOL_TIMEOUT_S = 300.0
"""How long a thread waits for a connection: a supervisor has many threads, and no job may fail of that."""

_prepared: dict[str, Engine] = {}
"""By URL; see `leave_to_fork`."""


def open_database(url: str) -> Engine:
    """Open the store, make it if it is not there, and bring its schema up to date.

    Args:
        url: an SQLAlchemy database URL.

    Raises:
        StateError: it cannot be opened, or it was made by a newer tpuherd.
    """
    _make_folder(url)
    engine = _prepared.pop(url, None) or _new_engine(url)
    try:
        _upgrade(engine)
    except DBAPIError as error:
        raise StateError(f"cannot open the store {engine.url!r}: {error.orig}") from error
    event.listen(engine, "handle_error", _tell_local_trouble)
    return engine


def leave_to_fork(url: str, engine: Engine) -> None:
    """Let a fork of this process open the same database with all that this engine has compiled so far.

    Args:
        url: the database's.
        engine: an engine that nobody uses any more; it has no connection afterwards.
    """
    engine.dispose()
    event.remove(engine, "handle_error", _tell_local_trouble)
    _prepared[url] = engine


def _new_engine(url: str) -> Engine:
    engine = create_engine(url, pool_timeout=POOL_TIMEOUT_S)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_pragmas)
    return engine


def _make_folder(url: str) -> None:
    if url.startswith("sqlite:///"):
        folder = Path(url.removeprefix("sqlite:///")).parent
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _set_pragmas(connection: sqlite3.Connection, _: object) -> None:
    """WAL lets readers go on while a controller writes.

    NORMAL keeps every row through the end of any process. A power cut may take the last rows, never the
    whole: the stages that they told of are then repeated, which hooks allow. Syncing the disk at every row
    would cost up to a second of each job on a disk that is busy with an environment.
    """
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _tell_local_trouble(context: ExceptionContext) -> None:
    """What keeps the database from working, such as a full disk or a lost server, is no error of a job."""
    if isinstance(context.sqlalchemy_exception, OperationalError):
        why = f"the store cannot be used: {context.original_exception}"
        raise LocalError(why) from context.original_exception


def _upgrade(engine: Engine) -> None:
    found = _version(engine)
    if found is not None and found > SCHEMA_VERSION:
        raise StateError(
            f"the store {engine.url!r} has schema {found}, this tpuherd knows up to {SCHEMA_VERSION}: "
            "upgrade tpuherd, or point TPUHERD_HOME or TPUHERD_DATABASE at another store"
        )
    if found != SCHEMA_VERSION:
        _migrate(engine)


def _version(engine: Engine) -> str | None:
    try:
        with engine.connect() as connection:
            return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    except (OperationalError, ProgrammingError):
        return None


def _migrate(engine: Engine) -> None:
    """Alembic is imported only when there is something to migrate: it costs a third of a second."""
    import logging

    from alembic import command
    from alembic.config import Config

    logging.getLogger("alembic").setLevel(logging.WARNING)
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()
