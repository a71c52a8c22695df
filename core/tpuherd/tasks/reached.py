"""A job's workers, within reach of a command."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd import paths
from tpuherd.errors import StateError
from tpuherd.tasks import opening
from tpuherd.tasks.worker_choice import chosen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.cloud import Cloud
    from tpuherd.remote import RemoteWorkers
    from tpuherd.store.records import JobRecord

JOB_HELP = "A job: its id, the start of its id, or its name."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A job, the workers that it holds, and connections to them."""

    record: JobRecord
    allocation: Allocation
    cloud: Cloud
    remote: RemoteWorkers
    workers: tuple[int, ...]
    """Indices of the workers that the command is about."""


@contextmanager
def reach(word: str, workers: str = "all") -> Iterator[Reached]:
    """Reach a job's workers; while that lasts, its slices do not count as idle.

    Args:
        word: the job.
        workers: which workers, see `tasks.worker_choice`.

    Raises:
        ConfigError: the choice of workers is wrong.
        StateError: there is no such job, or it holds no workers.
    """
    from tpuherd.engine.using import in_use
    from tpuherd.holder.choosing import reach_workers

    record = opening.find_job(word)
    allocation, cloud = held(record)
    indices = chosen(workers, len(allocation.workers))
    with (
        in_use(opening.store(), record),
        reach_workers(allocation.workers, cloud.ssh, paths.known_hosts(record.id)) as remote,
    ):
        yield Reached(record=record, allocation=allocation, cloud=cloud, remote=remote, workers=indices)


def held(record: JobRecord) -> tuple[Allocation, Cloud]:
    """What a job holds, and the cloud that it is in.

    Raises:
        StateError: it holds nothing.
    """
    from tpuherd.engine.opening import open_hooks
    from tpuherd.tasks.loaded import manager

    allocation = held_allocation(record)
    if allocation is None:
        raise StateError(f"job {record.id} holds no workers: `tpuherd run {record.file}` gets new ones")
    return allocation, open_hooks(manager(), record).connect_cloud(job_id=record.id)


def held_allocation(record: JobRecord) -> Allocation | None:
    """What a job holds by the store; `None` if that is nothing."""
    from tpuherd.engine.holding import holds_nothing
    from tpuherd.engine.recorder import recorded
    from tpuherd.engine.stages import Stage

    store = opening.store()
    if holds_nothing(store, record.id, record.attempt):
        return None
    allocation: Allocation | None = recorded(store.stages, record.id, record.attempt, Stage.PROVISION)
    return allocation


def command_of(record: JobRecord, script: str) -> str:
    """A command line that runs a script as the workload would, as far as environment and code are there."""
    from tpuherd.engine.recorder import recorded
    from tpuherd.engine.stages import Stage
    from tpuherd.model.outcome import Environment, SyncedCode
    from tpuherd.remote.environment import command_in

    stages = opening.store().stages
    environment = recorded(stages, record.id, record.attempt, Stage.PREPARE_ENV)
    code = recorded(stages, record.id, record.attempt, Stage.SYNC_CODE)
    return command_in(
        environment or Environment(kind="host", key=""),
        code or SyncedCode(kind="none", snapshot="", directory=""),
        script,
    )
