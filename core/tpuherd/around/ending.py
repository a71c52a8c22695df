"""Long scripts on workers, which end there when the job is cancelled."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar

from tpuherd.agent.asking import ask
from tpuherd.errors import Cancelled
from tpuherd.reach.marked import EXEC_VARIABLE, GRACE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job

T = TypeVar("T")
POLL_S = 0.1
END_S = 20.0


def until_cancelled(job: Job, allocation: Allocation, work: Callable[[dict[str, str]], T]) -> T:
    """Do some work on workers; if the job is cancelled meanwhile, end there what the work has started.

    Args:
        job: the job.
        allocation: its workers.
        work: called in another thread with a variable for all that it starts: it is found by it.

    Raises:
        Cancelled: the job was cancelled; nothing of the work is left running on workers that answer.
    """
    mark = secrets.token_hex(8)
    with ThreadPoolExecutor(1, "around") as pool:
        future = pool.submit(work, {EXEC_VARIABLE: mark})
        while not wait([future], timeout=POLL_S).done:
            try:
                job.session.checkpoint()
            except Cancelled:
                _end(job, allocation, mark)
                raise
        return future.result()


def _end(job: Job, allocation: Allocation, mark: str) -> None:
    remote = job.session.workers(allocation, job.cloud.ssh)
    everybody = [worker.index for worker in allocation.workers]
    ends = ask(remote, everybody, "end", "--exec", mark, "--grace", str(GRACE_S), timeout_s=END_S).ends
    if ends.failed:
        job.session.reporter.problem(f"ending scripts: {ends.summary()}")
