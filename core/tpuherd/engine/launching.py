"""Running one program on the workers of an allocation, to the end of the first that fails."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from tpuherd.agent.client import Agents
from tpuherd.engine.following import Follower
from tpuherd.engine.specification import agent_spec
from tpuherd.errors import Cancelled, WorkloadError
from tpuherd.model.outcome import WorkerExit, WorkloadExit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.model.allocation import Allocation, Worker
    from tpuherd.model.job import Job
    from tpuherd.model.outcome import Environment, SyncedCode
    from tpuherd.workload import Launch

POLL_S = 0.1
"""How often cancellation and the deadline are looked at."""


def run_launch(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode, what: Launch
) -> WorkloadExit:
    """See `tpuherd.launch`."""
    workers = _chosen(allocation, what.workers)
    agents = Agents(job.session.workers(allocation, job.cloud.ssh))
    agents.install()
    specs = {worker.index: agent_spec(job, allocation, worker, environment, code, what) for worker in workers}
    running = _Running(job, agents, workers)
    try:
        agents.start(specs).require(WorkloadError, "starting the workload")
        job.session.publish("workload.started", f"on {len(workers)} workers")
        exits = running.follow()
        job.session.publish("workload.ended", f"on {len(workers)} workers")
    except (Cancelled, WorkloadError):
        running.stop([worker.index for worker in workers])
        raise
    return WorkloadExit(workers=tuple(exits), output_directory=what.output_directory)


def _chosen(allocation: Allocation, indices: tuple[int, ...] | None) -> list[Worker]:
    everybody = allocation.workers
    wanted = range(len(everybody)) if indices is None else indices
    missing = [index for index in wanted if not 0 <= index < len(everybody)]
    if missing or not wanted:
        raise WorkloadError(
            f"there is no worker {missing or 'to run on'}: the allocation has 0 to {len(everybody) - 1}"
        )
    return [everybody[index] for index in wanted]


class _Running:
    """A started workload: one follower per worker."""

    def __init__(self, job: Job, agents: Agents, workers: Sequence[Worker]) -> None:
        self._job = job
        self._agents = agents
        self._workers = workers
        self._deadline = time.monotonic() + (job.spec.timeouts.workload_s or float("inf"))

    def follow(self) -> list[WorkerExit]:
        """Wait for all; the first failure stops the others."""
        self._job.attempt_directory.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(len(self._workers), "follow") as pool:
            followers = [Follower(self._job, self._agents, worker) for worker in self._workers]
            futures = {pool.submit(follower.run): follower for follower in followers}
            try:
                return self._until_all_ended(futures)
            except BaseException:
                for follower in followers:
                    follower.abandon()
                raise

    def stop(self, indices: list[int]) -> None:
        """End the workload on these workers; one that cannot be reached is named, not raised."""
        self._job.session.publish("workload.stopping", f"on {', '.join(f'w{i}' for i in indices)}")
        stopped = self._agents.stop(
            self._job.attempt_id, workers=indices, grace_s=self._job.spec.timeouts.grace_s
        )
        if stopped.failed:
            self._job.session.reporter.problem(f"stopping the workload: {stopped.summary()}")

    def _until_all_ended(self, futures: dict[Future[WorkerExit], Follower]) -> list[WorkerExit]:
        pending = set(futures)
        while pending:
            done, pending = wait(pending, timeout=POLL_S, return_when=FIRST_COMPLETED)
            self._job.session.checkpoint()
            self._check_deadline()
            if pending and any(future.result().failed for future in done):
                self.stop([futures[future].worker.index for future in pending])
                pending = wait(pending).not_done
        return [future.result() for future in futures]

    def _check_deadline(self) -> None:
        if time.monotonic() > self._deadline:
            raise WorkloadError(f"timeouts.workload_s: not done after {self._job.spec.timeouts.workload_s} s")
