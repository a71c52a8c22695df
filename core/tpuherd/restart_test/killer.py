"""The kill itself: waits for its moment while the workload runs, and happens once, whoever drives the job."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tpuherd.agent.client import Agents
from tpuherd.engine.stages import Stage
from tpuherd.remote.parallel import in_background
from tpuherd.restart_test.logs import GrowingLogs
from tpuherd.restart_test.moment import parse_moment
from tpuherd.restart_test.plan import KILLED, KILLING, newest
from tpuherd.tasks.worker_choice import chosen

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job
    from tpuherd.restart_test.plan import RestartTest
    from tpuherd.store.store import Store

POLL_S = 0.05
AGAIN_S = 0.2
"""Between two tries to kill what is only just being started."""


class Killer:
    """Kills the workload of an attempt within a `with` block, at the moment that the test names."""

    def __init__(self, job: Job, allocation: Allocation, store: Store, test: RestartTest) -> None:
        """Keep the parts; nothing happens before the block is entered."""
        self._job = job
        self._store = store
        self._moment = parse_moment(test.kill_at)
        self._workers = chosen(test.workers, len(allocation.workers))
        self._agents = Agents(job.session.workers(allocation, job.cloud.ssh))
        self._logs = GrowingLogs(job.attempt_directory)
        self._over = threading.Event()

    def __enter__(self) -> Self:
        """Begin to wait, in a thread."""
        self._work = in_background(Killer._run, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> None:
        """Wait no longer; what went wrong with the kill is raised if nothing else did."""
        self._over.set()
        error = self._work.exception()
        if error is not None and kind is None:
            raise error

    def _run(self) -> None:
        why = newest(self._store, self._job.id, KILLING)
        while not why and not self._over.wait(POLL_S):
            why = self._reason()
            if why:
                self._job.session.publish(KILLING, why)
        if why and self._kill():
            self._job.session.publish(KILLED, self._names)

    def _reason(self) -> str:
        """Why it is time; empty while it is not."""
        if self._moment.after_s is not None:
            late = self._running_s() >= self._moment.after_s
            return f"{self._names}: {self._moment.text} after the start" if late else ""
        seen = ((worker, line) for worker, line in self._logs.new_lines() if self._moment.is_seen_in(line))
        worker, line = next(seen, ("", ""))
        return f"{self._names}: {self._moment.text}, {worker} said {line[-120:]!r}" if worker else ""

    def _running_s(self) -> float:
        row = self._store.stages.get(self._job.id, self._job.attempt.number, Stage.RUN_WORKLOAD.value)
        return time.time() - row.started_at if row else 0.0

    def _kill(self) -> bool:
        """Until nothing of it runs: what was only just being started when it was told is told again."""
        while True:
            states = self._agents.kill(self._job.attempt_id, workers=self._workers)
            if any(state.ended for state in states) and not any(state.runs for state in states):
                return True
            if self._over.wait(AGAIN_S):
                return False

    @property
    def _names(self) -> str:
        return ", ".join(f"w{index}" for index in self._workers)
