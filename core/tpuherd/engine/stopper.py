"""Ending a workload on some workers, without waiting for those that do not answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.remote.parallel import in_background

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tpuherd.agent.client import Agents
    from tpuherd.model.job import Job

AGAIN_S = 2.0
"""Between two tries: a stop may not have reached a worker that is heard again."""


class Stopper:
    """Asks the agents of workers to stop this attempt; that is safe to repeat."""

    def __init__(self, job: Job, agents: Agents) -> None:
        """Keep the parts."""
        self._job = job
        self._agents = agents
        self._at_work: Future[None] | None = None
        self._next_at = 0.0
        self._forgotten = False

    def forget(self) -> None:
        """All have ended, or were given up: what a try in the background still comes to interests nobody."""
        self._forgotten = True

    def stop(self, indices: list[int]) -> None:
        """Stop it on these workers and wait for that; one that cannot be reached is named, not raised."""
        self._job.session.publish("workload.stopping", f"on {', '.join(f'w{i}' for i in indices)}")
        self._forgotten = False
        self._stop(indices)

    def in_background(self, indices: list[int]) -> None:
        """The same without waiting; called again and again, it tries again when a try has ended."""
        if self._at_work and not self._at_work.done():
            return
        if self._at_work is None:
            self._job.session.publish("workload.stopping", f"on {', '.join(f'w{i}' for i in indices)}")
        elif time.monotonic() < self._next_at:
            return
        self._at_work = in_background(self._stop, indices)

    def _stop(self, indices: list[int]) -> None:
        grace_s = self._job.spec.timeouts.grace_s
        stopped = self._agents.stop(self._job.attempt_id, workers=indices, grace_s=grace_s)
        if stopped.failed and not self._forgotten:
            self._job.session.reporter.problem(f"stopping the workload: {stopped.summary()}")
        self._next_at = time.monotonic() + AGAIN_S
