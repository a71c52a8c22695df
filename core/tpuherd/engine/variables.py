"""The environment variables of a job's processes: its workload, its scripts, people's commands in it."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from tpuherd.config.secrets import variables as resolved
from tpuherd.recovery.passing import passed_on

if TYPE_CHECKING:
    from tpuherd.model.allocation import Allocation, Worker
    from tpuherd.model.job import Job

COORDINATOR_PORT = 8476
"""Open in the default firewall rules of Cloud TPU; JAX's own default since 0.8.1 is not (jax#35905)."""
PORTS = range(20_000, 30_000)
"""Where coordinators of an emulated cloud listen: its workers share one network stack."""


def process_variables(job: Job, allocation: Allocation, worker: Worker) -> dict[str, str]:
    """What every process of a job finds on a worker: the cloud's variables, ours, and those of `env`.

    The result holds secrets: hand it on through `tpuherd.remote.with_variables`, or an agent's standard
    input, and keep it out of command lines, files and logs. What an environment adds is not in it.

    Raises:
        ConfigError: a secret cannot be read; the message names its key.
    """
    return {
        **job.cloud.worker_variables,
        **own_variables(job, allocation, worker),
        **resolved(job.spec.env, job.base_directory),
    }


def own_variables(job: Job, allocation: Allocation, worker: Worker) -> dict[str, str]:
    """What tpuherd itself tells every process of a job."""
    return {
        "TPUHERD_JOB_ID": job.id,
        "TPUHERD_ATTEMPT": str(job.attempt.number),
        "TPUHERD_RESUME": "1" if job.attempt.resume else "0",
        "TPUHERD_WORKER": str(worker.index),
        "TPUHERD_WORKERS": str(len(allocation.workers)),
        "JAX_COORDINATOR_PORT": str(coordinator_port(job)),
        **_place_in_fleet(job),
        **passed_on(job),
    }


def _place_in_fleet(job: Job) -> dict[str, str]:
    """Members share their work; who is who helps them to begin at different ends of it."""
    fleet = job.spec.fleet
    if fleet is None or fleet.member is None:
        return {}
    return {"TPUHERD_MEMBER": str(fleet.member), "TPUHERD_MEMBERS": str(fleet.members)}


def coordinator_port(job: Job) -> int:
    """The port of `jax.distributed`'s coordinator; different for every attempt where ports are shared."""
    if not job.cloud.shared_network_stack:
        return COORDINATOR_PORT
    return PORTS[zlib.crc32(job.attempt_id.encode()) % len(PORTS)]
