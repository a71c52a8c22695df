"""The workload on the workers, whoever started it: whether it runs, and ending it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.agent.client import Agents
from tpuherd.errors import WorkloadError

if TYPE_CHECKING:
    from tpuherd.engine.engine import Engine
    from tpuherd.model.allocation import Allocation

REACH_S = 8.0
"""How long a worker may take to answer at all before anything is started on it again."""


def stop_workload(engine: Engine) -> None:
    """Make sure that nothing of the workload runs, also what an earlier controller started.

    Raises:
        TpuherdError: some workers could not be told; they are named.
    """
    allocation = engine.workload_started_on()
    if allocation is None:
        return
    done = _agents(engine, allocation).stop(
        engine.job.attempt_id,
        workers=[worker.index for worker in allocation.workers],
        grace_s=engine.job.spec.timeouts.grace_s,
    )
    done.require(WorkloadError, "stopping the workload")


def stop_everywhere(engine: Engine) -> None:
    """Make sure that nothing of this attempt runs on any worker, also where its end was not seen.

    Raises:
        TpuherdError: some workers could not be told; they are named.
    """
    allocation = engine.allocation
    if allocation is None or not engine.workload_began:
        return
    remote = engine.job.session.workers(allocation, engine.job.cloud.ssh)
    remote.run("true", timeout_s=REACH_S).require(WorkloadError, "reaching the workers")
    done = _agents(engine, allocation).stop(
        engine.job.attempt_id,
        workers=[worker.index for worker in allocation.workers],
        grace_s=engine.job.spec.timeouts.grace_s,
    )
    done.require(WorkloadError, "stopping the workload")


def workload_runs(engine: Engine) -> bool:
    """True if processes of this attempt's workload run on some worker.

    Raises:
        TpuherdError: some workers did not say.
    """
    allocation = engine.workload_started_on()
    if allocation is None:
        return False
    agents = _agents(engine, allocation)
    return any(status.runs for status in agents.status(engine.job.attempt_id))


def _agents(engine: Engine, allocation: Allocation) -> Agents:
    agents = Agents(engine.job.session.workers(allocation, engine.job.cloud.ssh))
    agents.install()
    return agents
