"""What tasks need before they can do anything: store, plugins, the job that is meant."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.config.load import LoadedJob
    from tpuherd.engine.controller import Controller
    from tpuherd.engine.interrupts import OnInterrupt
    from tpuherd.output.reporter import Reporter
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

JOB_VARIABLE = "TPUHERD_JOB"
DEFAULT_FILE = "tpuherd.yaml"

_remembered: list[str] = []


def job_file(given: str) -> Path:
    """The job file that is meant: named by `--job`, by `$TPUHERD_JOB`, or `tpuherd.yaml` in this folder.

    One that is given is remembered for the tasks that follow in the same command, as in
    `inv provision --job X release`.

    Raises:
        ConfigError: none of the three.
    """
    if given:
        os.environ[JOB_VARIABLE] = given
    named = os.environ.get(JOB_VARIABLE) or _named_later()
    if named:
        return Path(named)
    if Path(DEFAULT_FILE).exists():
        return Path(DEFAULT_FILE)
    raise ConfigError(
        f"which job? Give `--job FILE`, set {JOB_VARIABLE}, or go to a folder with a {DEFAULT_FILE}"
    )


def _named_later() -> str:
    """The `--job` of a later task of the same command: `inv provision run-workload release --job X`."""
    words = iter(sys.argv)
    for word in words:
        flag, equals, value = word.partition("=")
        if flag == "--job":
            return value if equals else next(words, "")
    return ""


def overrides(given: list[str]) -> list[str]:
    """The overrides of `--override`; those of an earlier task of the same command hold for the later ones."""
    _remembered.extend(word for word in given if word not in _remembered)
    return list(_remembered)


def read(path: Path, overrides: Sequence[str]) -> LoadedJob:
    """Read and check a job file with the installed plugins."""
    from tpuherd.engine.opening import read_job_file
    from tpuherd.tasks.loaded import manager

    return read_job_file(manager(), path, overrides)


def store() -> Store:
    """The store of this user; it is opened once per process."""
    from tpuherd.paths import database_url

    return _opened(database_url())


@cache
def _opened(url: str) -> Store:
    from tpuherd.store.store import Store

    return Store(url)


def require_undriven(record: JobRecord) -> None:
    """Refuse to start a second controller; raises `StateError` naming the first."""
    from tpuherd.engine.lease_keeper import driven_by_another
    from tpuherd.store.leases import this_process

    holder = store().leases.driver(record.id)
    if holder not in (None, this_process()):
        raise driven_by_another(record.id, str(holder))


def going_on(record: JobRecord) -> JobRecord:
    """Take a job for this process, and let it go on to its end, also if it was paused; gives it as it is now.

    Raises:
        StateError: another controller drives it.
    """
    if not record.state.ended:
        take(record)
        store().wishes.go_on(record.id)
    return store().jobs.get(record.id)


def by_hand(record: JobRecord) -> JobRecord:
    """Take a job for this process; one that was paused is live again, and does nothing by itself.

    Raises:
        StateError: another controller drives it.
    """
    take(record)
    store().wishes.by_hand(record.id)
    return store().jobs.get(record.id)


def take(record: JobRecord) -> None:
    """Take a job's lease before anything of it is changed; raises `StateError` if another process has it."""
    from tpuherd.engine.lease_keeper import take

    take(store(), record.id)


def find_job(word: str) -> JobRecord:
    """The job that a user means by an id, the start of one, or a name."""
    return store().jobs.find(word)


def controller(record: JobRecord, reporter: Reporter, policy: OnInterrupt) -> Controller:
    """A controller for a job in this process."""
    from tpuherd.engine.controller import Controller
    from tpuherd.tasks.loaded import manager

    return Controller(store(), manager(), record, reporter, policy)


def on_interrupt(word: str) -> OnInterrupt:
    """The policy of `--on-interrupt`.

    Raises:
        ConfigError: there is no such policy.
    """
    from tpuherd.config.choices import nearest
    from tpuherd.engine.interrupts import OnInterrupt

    try:
        return OnInterrupt(word)
    except ValueError:
        choices = nearest(word, [policy.value for policy in OnInterrupt])
        raise ConfigError(f"--on-interrupt={word}: {choices}") from None
