"""Jobs that a command leaves to go on without it: a supervisor gets them, or processes of their own."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from tpuherd.engine.background import controller_log, start_background
from tpuherd.engine.opening import open_hooks
from tpuherd.errors import TpuherdError
from tpuherd.output.reporter import Reporter
from tpuherd.store.leases import is_gone, process_name, this_process
from tpuherd.store.supervisors import own_name
from tpuherd.supervising.choosing import wants_somebody
from tpuherd.supervising.likeness import has_own_secrets, idle_s, likeness
from tpuherd.supervising.service import Service

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pluggy import PluginManager

    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store
    from tpuherd.store.supervisors import SupervisorStatus

PAUSE_S = 0.05


def adopt(store: Store, manager: PluginManager, job_ids: Sequence[str], starter: str) -> None:
    """See to it that jobs are driven, and become the supervisor if there is none.

    A job is left to the supervisor that runs if that would do the same as this process: it has the same
    settings, and the job needs no variable that only this process may have.

    Args:
        store: the store.
        manager: the plugins.
        job_ids: the jobs.
        starter: the process that has driven them until now, and is about to end or hands them over.
    """
    while waiting := _waiting(store, job_ids, starter):
        other = store.supervisors.get(own_name())
        if other is None:
            _supervise(store, manager)
        else:
            _leave_to(other, store, manager, waiting)
        time.sleep(PAUSE_S)


def _leave_to(
    other: SupervisorStatus, store: Store, manager: PluginManager, waiting: Sequence[JobRecord]
) -> None:
    """The supervisor gets what it would do as we do; for others there are processes of their own."""
    alone = [record for record in waiting if not _does_the_same(other, manager, record)]
    for record in waiting:
        if record not in alone:
            store.leases.give_back(record.id)
    for record in alone[1:]:
        if store.leases.take(record.id) is None:
            store.leases.hand_over(record.id, process_name(start_background(record)))
    if alone and store.leases.take(alone[0].id) is None:
        _drive_alone(alone[0])


def _waiting(store: Store, job_ids: Sequence[str], starter: str) -> list[JobRecord]:
    """The jobs that are to go on still, and that nobody drives but who is about to leave them."""
    found = [record for record in store.jobs.all() if record.id in job_ids]
    return [record for record in found if _waits(store, record, starter)]


def _waits(store: Store, record: JobRecord, starter: str) -> bool:
    if record.state.ended or not wants_somebody(record.state.value, record.wanted):
        return False
    holder = store.leases.holder(record.id)
    return holder is None or holder in (starter, this_process()) or is_gone(holder)


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
