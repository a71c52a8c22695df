"""A job that a command leaves to go on without it: a supervisor gets it, or a process of its own."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from tpuherd.engine.background import controller_log
from tpuherd.engine.opening import open_hooks
from tpuherd.errors import TpuherdError
from tpuherd.output.reporter import Reporter
from tpuherd.store.leases import is_gone, this_process
from tpuherd.store.records import JobState
from tpuherd.store.supervisors import own_name
from tpuherd.supervising.choosing import TO_DO
from tpuherd.supervising.likeness import has_own_secrets, idle_s, likeness
from tpuherd.supervising.service import Service

if TYPE_CHECKING:
    from pluggy import PluginManager

    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store
    from tpuherd.store.supervisors import SupervisorStatus

PAUSE_S = 0.05


def adopt(store: Store, manager: PluginManager, job_id: str, starter: str) -> None:
    """See to it that a job is driven, and become the supervisor if there is none.

    A job is left to the supervisor that runs if that would do the same as this process: it has the same
    settings, and the job needs no variable that only this process may have.

    Args:
        store: the store.
        manager: the plugins.
        job_id: the job.
        starter: the process that has driven it until now, and is about to end.
    """
    while (record := _waiting(store, job_id, starter)) is not None:
        other = store.supervisors.get(own_name())
        if other is None:
            _supervise(store, manager)
        elif _does_the_same(other, manager, record):
            store.leases.give_back(job_id)
        elif store.leases.take(job_id) is None:
            _drive_alone(record)
        time.sleep(PAUSE_S)


def _waiting(store: Store, job_id: str, starter: str) -> JobRecord | None:
    """The job, as long as it is to go on and nobody drives it but who is about to leave it."""
    record = next((job for job in store.jobs.all() if job.id == job_id), None)
    if record is None or record.state is not JobState.LIVE or record.wanted not in TO_DO:
        return None
    holder = store.leases.holder(job_id)
    free = holder is None or holder in (starter, this_process()) or is_gone(holder)
    return record if free else None


def _supervise(store: Store, manager: PluginManager) -> None:
    reporter = Reporter()
    service = Service(store, manager, note=reporter.note, show=lambda _: None, idle_s=idle_s())
    if service.register():
        service.run()


def _does_the_same(other: SupervisorStatus, manager: PluginManager, record: JobRecord) -> bool:
    try:
        env = open_hooks(manager, record).spec.env
    except TpuherdError:
        return False
    return other.likeness == likeness() and not has_own_secrets(env)


def _drive_alone(record: JobRecord) -> None:
    """Become a process that drives this job and nothing else; its lease is ours, and stays ours."""
    log = os.open(controller_log(record), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    words = ["resume", "--on-interrupt", "detach", record.id]
    os.execv(sys.executable, [sys.executable, "-P", "-m", "tpuherd", *words])  # noqa: S606 - no shell
