"""What a holder knows: a job's workers, and its own connections."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tpuherd import paths
from tpuherd.config.secrets import SecretRef
from tpuherd.errors import ConfigError
from tpuherd.holder.foreseen import remember
from tpuherd.holder.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tpuherd.holder.keeping import Held, Keeper
    from tpuherd.model.job import Job


@contextmanager
def reached(word: str, workers: str, script: str, *, is_ours: bool = False) -> Iterator[dict[str, Any]]:
    """What a command needs in order to run a script on a job's workers, as `tasks.reached` finds it.

    While it lasts, the job's slices do not count as idle.

    Args:
        word: the job.
        workers: which, see `tasks.worker_choice`.
        script: bash text.
        is_ours: true if this process has the variables of the shell in which the command was given.

    Raises:
        TpuherdError: as `tasks.reached.reach`; also if the job's `env` names variables of the user's shell,
            which this process does not have.
    """
    from tpuherd.engine.using import in_use
    from tpuherd.reach.commands import commands_in, visited_job
    from tpuherd.tasks import opening
    from tpuherd.tasks.loaded import manager
    from tpuherd.tasks.reached import held
    from tpuherd.tasks.worker_choice import chosen

    record = opening.find_job(word)
    allocation, cloud = held(record)
    target = Target(
        workers=allocation.workers,
        access=cloud.ssh,
        known_hosts=paths.known_hosts(record.id),
    )
    job = visited_job(opening.store(), manager(), record, cloud)
    if not is_ours:
        _require_own(job)
    remember(target)
    indices = chosen(workers, len(allocation.workers))
    commands = commands_in(opening.store(), job, allocation, indices, script)
    with in_use(opening.store(), record):
        yield {
            "target": target.to_header(),
            "commands": {str(i): (one.command, (one.stdin or b"").decode()) for i, one in commands.items()},
        }


def _require_own(job: Job) -> None:
    """Refuse what only the user's own process can know: its variables."""
    if any(isinstance(value, SecretRef) and value.env for value in job.spec.env.values()):
        raise ConfigError(f"job {job.id} needs variables of the user's shell")


def rows(keeper: Keeper) -> list[dict[str, Any]]:
    """One row for each allocation."""
    return [_row(held) for held in keeper.all()]


def _row(held: Held) -> dict[str, Any]:
    return {
        "job": held.target.job_id,
        "workers": len(held.target.workers),
        "open": len(held.remote.connected),
        "in_use": held.users > 0,
        "used_at": held.used_at,
        "holder": os.getpid(),
    }
