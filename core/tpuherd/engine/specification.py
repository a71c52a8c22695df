"""What an agent is told to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.code.importing import CODE_VARIABLE, prelude
from tpuherd.config.secrets import variables as resolved
from tpuherd.engine.variables import coordinator_port, own_variables

if TYPE_CHECKING:
    from tpuherd.model.allocation import Allocation, Worker
    from tpuherd.model.job import Job
    from tpuherd.model.outcome import Environment, SyncedCode
    from tpuherd.workload import Launch


def agent_spec(
    job: Job, allocation: Allocation, worker: Worker, environment: Environment, code: SyncedCode, what: Launch
) -> dict[str, Any]:
    """The specification for one worker's agent; it holds secrets, so it only goes over standard input."""
    return {
        "attempt": job.attempt_id,
        "argv": [*environment.command_prefix, "bash", "-c", prelude(code) + what.script],
        "cwd": f"$HOME/{code.directory}" if code.directory else "$HOME",
        "environment": {
            **_variables(job, allocation, worker, environment, what),
            **({CODE_VARIABLE: f"$HOME/{code.directory}"} if code.directory else {}),
        },
        "path_entries": list(environment.path_entries),
        "files": dict(what.files),
        "grace_s": job.spec.timeouts.grace_s,
        "check_devices": True,
        "end_command": list(environment.end_command),
    }


def _variables(
    job: Job, allocation: Allocation, worker: Worker, environment: Environment, what: Launch
) -> dict[str, str]:
    """Later ones win: the cloud's, the environment's, ours, the workload's, the user's."""
    return {
        **job.cloud.worker_variables,
        **environment.variables,
        **own_variables(job, allocation, worker),
        **(_jax_variables(job, allocation, worker) if what.multi_process else {}),
        **what.variables,
        **resolved(job.spec.env, job.base_directory),
    }


def _jax_variables(job: Job, allocation: Allocation, worker: Worker) -> dict[str, str]:
    first = allocation.workers[0].internal_address
    return {
        "JAX_COORDINATOR_ADDRESS": f"{first}:{coordinator_port(job)}",
        "JAX_NUM_PROCESSES": str(len(allocation.workers)),
        "JAX_PROCESS_ID": str(worker.index),
    }
