"""Running one program on the workers of an allocation, to the end of the first that fails."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd.agent.client import Agents
from tpuherd.engine.forwarding import forwarded
from tpuherd.engine.running import Running
from tpuherd.engine.specification import agent_spec
from tpuherd.errors import Cancelled, WorkloadError
from tpuherd.model.event import WORKLOAD_STARTED
from tpuherd.observing.reporting import reports_of

if TYPE_CHECKING:
    from tpuherd.model.allocation import Allocation, Worker
    from tpuherd.model.job import Job
    from tpuherd.model.outcome import Environment, SyncedCode, WorkloadExit
    from tpuherd.workload import Launch


def run_launch(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode, what: Launch
) -> WorkloadExit:
    """See `tpuherd.launch`.

    What another controller has started is only followed: a worker that does not know of it has lost its disk,
    and a second start there would do the work of this attempt twice.
    """
    workers = _chosen(allocation, what.workers)
    agents = Agents(job.session.workers(allocation, job.cloud.ssh))
    specs = {worker.index: agent_spec(job, allocation, worker, environment, code, what) for worker in workers}
    job.attempt_directory.mkdir(parents=True, exist_ok=True)
    running = Running(job, agents, allocation, workers, reports_of(what.reports, job.spec.detection))
    try:
        if job.session.has_started(job.attempt.number):
            with suppress(WorkloadError):  # its follower waits for one that cannot be reached now
                agents.install([worker.index for worker in workers])
        else:
            running.start(specs)
            job.session.publish(WORKLOAD_STARTED, f"on {len(workers)} workers")
        with forwarded(job, allocation):
            end = running.follow()
        job.session.publish("workload.ended", f"on {len(workers)} workers")
    except (Cancelled, WorkloadError):
        running.stop()
        raise
    return replace(end, output_directory=what.output_directory)


def _chosen(allocation: Allocation, indices: tuple[int, ...] | None) -> list[Worker]:
    everybody = allocation.workers
    wanted = range(len(everybody)) if indices is None else indices
    missing = [index for index in wanted if not 0 <= index < len(everybody)]
    if missing or not wanted:
        raise WorkloadError(
            f"there is no worker {missing or 'to run on'}: the allocation has 0 to {len(everybody) - 1}"
        )
    return [everybody[index] for index in wanted]
