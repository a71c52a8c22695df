"""A person's command as a job's own processes would run it: its environment, code folder and variables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.engine.attempts import newest_attempt
from tpuherd.engine.opening import open_hooks, open_session
from tpuherd.engine.recorder import recorded
from tpuherd.engine.stages import Stage
from tpuherd.engine.variables import process_variables
from tpuherd.model.job import Job
from tpuherd.model.outcome import Environment, SyncedCode
from tpuherd.output.reporter import Reporter
from tpuherd.remote.environment import command_in
from tpuherd.remote.variables import with_variables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pluggy import PluginManager

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.cloud import Cloud
    from tpuherd.remote import RemoteCommand
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

HOST = Environment(kind="host", key="")
NO_CODE = SyncedCode(kind="none", snapshot="", directory="")


def visited_job(store: Store, manager: PluginManager, record: JobRecord, cloud: Cloud) -> Job:
    """A job as hooks see it, for somebody who only looks in: its cloud is connected already."""
    hooks = open_hooks(manager, record)
    return Job(
        id=record.id,
        owner=record.owner,
        spec=hooks.spec,
        directory=Path(record.directory),
        base_directory=Path(record.base_directory),
        attempt=newest_attempt(store.attempts.all(record.id)),
        cloud=cloud,
        session=open_session(store, hooks, record, Reporter()),
    )


def commands_in(
    store: Store, job: Job, allocation: Allocation, workers: Sequence[int], script: str, stdin: bytes = b""
) -> dict[int, RemoteCommand]:
    """A command for each worker that runs a script as the workload would, as far as the job has come.

    What a workload's variables are made from (a cloud's, an environment's, ours, the user's `env`), in the
    same order: later ones win. Secrets go over standard input, before what the script itself reads.

    Args:
        store: it knows the environment and the code of the newest attempt.
        job: see `visited_job`.
        allocation: what the job holds.
        workers: indices.
        script: bash text.
        stdin: what the script reads.

    Raises:
        ConfigError: a secret cannot be read; the message names its key.
    """
    place = (job.id, job.attempt.number)
    environment = recorded(store.stages, *place, Stage.PREPARE_ENV) or HOST
    code = recorded(store.stages, *place, Stage.SYNC_CODE) or NO_CODE
    made = {}
    for index in workers:
        variables = process_variables(job, allocation, allocation.workers[index])
        rest = {name: text for name, text in environment.variables.items() if name not in variables}
        line = command_in(replace(environment, variables=rest), code, script)
        made[index] = with_variables(line, variables, stdin)
    return made
