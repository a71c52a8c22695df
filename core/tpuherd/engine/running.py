"""A started workload: one follower per worker, and what ends it on all of them."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, wait
from typing import TYPE_CHECKING, Any

from tpuherd.engine.following import Follower
from tpuherd.engine.stopper import Stopper
from tpuherd.errors import WorkloadError
from tpuherd.model.outcome import EndedBy, ExitKind, WorkerExit, WorkloadExit
from tpuherd.monitoring.heard_file import HeardWriter, heard_file
from tpuherd.monitoring.progress_file import ProgressWriter, progress_file
from tpuherd.observing.hanging import hung
from tpuherd.observing.silence import patience_s
from tpuherd.observing.view import ControlPlaneView

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future

    from tpuherd.agent.client import Agents
    from tpuherd.model.allocation import Allocation, Worker
    from tpuherd.model.job import Job
    from tpuherd.observing.reporting import Reports

POLL_S = 0.1
"""How often everything but an end is looked at."""
DEAF_S = 1.0
"""A longer time between two looks means that this process was kept from running."""
HEARD_S = 3.0
"""Who was heard so lately shows that this machine has a network."""
ABANDON_S = 2.0
"""How long followers that are told to stop following may take for it."""


class Running:
    """Starts it, and waits for the end on all workers; the first thing that goes wrong ends it everywhere."""

    def __init__(
        self, job: Job, agents: Agents, allocation: Allocation, workers: Sequence[Worker], reports: Reports
    ) -> None:
        """Keep the parts; `start` and `follow` do the work."""
        self._job = job
        self._agents = agents
        self._allocation = allocation
        self._workers = workers
        self._reports = reports
        self._followers = [Follower(job, agents, worker, reports) for worker in workers]
        self._stopper = Stopper(job, agents)
        self._deadline = time.monotonic() + (job.spec.timeouts.workload_s or float("inf"))
        self._started = False
        self._ended_by, self._why = EndedBy.ITSELF, ""
        self._view: ControlPlaneView | None = None
        self._progress = ProgressWriter(progress_file(job.attempt_directory))
        self._heard = HeardWriter(heard_file(job.attempt_directory))
        self._ticked_at = time.monotonic()

    def start(self, specs: Mapping[int, dict[str, Any]]) -> None:
        """Start it on all workers: index to specification; what the first ones say is heard meanwhile.

        Raises:
            WorkloadError: one refuses; nobody is followed any more.
        """
        followers = {follower.worker.index: follower for follower in self._followers}
        self._started = True
        try:
            self._agents.run(
                specs,
                {index: follower.log.size for index, follower in followers.items()},
                lambda index, frames: followers[index].start(frames),
                new=self._job.attempt.number == 1,
            )
        except BaseException:
            self._leave()
            raise

    def follow(self) -> WorkloadExit:
        """Wait for all; returns how each ended, and what was heard of it meanwhile."""
        look = self._job.session.observe
        self._view = ControlPlaneView(lambda: look(self._job, self._allocation)) if look else None
        try:
            if not self._started:
                for follower in self._followers:
                    follower.start()
            exits = self._until_all_ended()
            self._stop_deserted()
        except BaseException:
            self._abandon()
            raise
        finally:
            self._stopper.forget()
            if self._view:
                self._view.close()
        sightings = tuple(follower.sighting.value for follower in self._followers)
        self._progress.close(one.progress for one in sightings)
        return WorkloadExit(workers=tuple(exits), ended_by=self._ended_by, why=self._why, sightings=sightings)

    def stop(self) -> None:
        """End the workload on all workers; one that cannot be reached is named, not raised."""
        self._stopper.stop([worker.index for worker in self._workers])

    def _until_all_ended(self) -> list[WorkerExit]:
        while pending := [follower for follower in self._followers if not follower.end.done()]:
            wait([follower.end for follower in pending], timeout=POLL_S, return_when=FIRST_COMPLETED)
            self._job.session.checkpoint()
            self._check_deadline()
            self._progress.note(follower.sighting.value.progress for follower in self._followers)
            self._heard.note(follower.sighting.value.heard_at for follower in pending)
            self._bear_silence()
            if self._ended_by is EndedBy.ITSELF:
                self._ended_by, self._why = self._what_ends_it()
            left = [f.worker.index for f in self._followers if not f.end.done()]
            if left and (self._ended_by is not EndedBy.ITSELF or self._failed()):
                self._stopper.in_background(left)
        self._ended_by, self._why = self._what_ends_it() if not self._why else (self._ended_by, self._why)
        return [follower.end.result() for follower in self._followers]

    def _stop_deserted(self) -> None:
        """Without an agent, processes and containers would go on on slices that are kept."""
        deserted = [follower.worker.index for follower in self._followers if follower.deserted]
        if deserted:
            self._stopper.stop(deserted)

    def _failed(self) -> list[WorkerExit]:
        ends: list[Future[WorkerExit]] = [f.end for f in self._followers if f.end.done()]
        return [end.result() for end in ends if end.result().failed]

    def _what_ends_it(self) -> tuple[EndedBy, str]:
        """What is known of why nothing can go on, the cause before its effects."""
        told = [f.worker.name for f in self._followers if f.sighting.value.preemption_notice_at is not None]
        failed = self._failed()
        running = [follower.sighting.value for follower in self._followers if not follower.end.done()]
        if told and (running or failed):
            return EndedBy.NOTICE, f"{', '.join(told)}: the metadata server announced a preemption"
        if (running or failed) and (gone := self._gone()):
            return EndedBy.SLICE, f"the control plane says that {'; '.join(gone.values())}"
        if lost := [f"w{end.worker}" for end in failed if end.kind is ExitKind.LOST]:
            return EndedBy.SILENCE, f"{', '.join(lost)} went silent"
        if not failed and (why := hung(running, time.time(), self._reports.hung_after_s)):
            return EndedBy.HANG, why
        return EndedBy.ITSELF, ""

    def _gone(self) -> dict[str, str]:
        return self._view.gone() if self._view else {}

    def _bear_silence(self) -> None:
        """Give up who was silent for too long; how long that is depends on who else is heard."""
        gone, offline, deaf_s = self._gone(), self._offline(), self._deaf_s()
        for follower in self._followers:
            follower.excuse(deaf_s)
            follower.patience_s = patience_s(slice_gone=follower.worker.node_id in gone, offline=offline)
            if not follower.end.done() and follower.silent_s > follower.patience_s:
                follower.lose()

    def _deaf_s(self) -> float:
        """How long this process itself stood still: nobody can be heard then."""
        now = time.monotonic()
        gap_s, self._ticked_at = now - self._ticked_at, now
        return gap_s if gap_s > DEAF_S else 0.0

    def _offline(self) -> bool:
        """True if nobody is heard, and a control plane elsewhere that has answered before does not either."""
        heard = any(f.end.done() or f.silent_s < HEARD_S for f in self._followers)
        elsewhere = self._job.cloud.tpu_endpoint is None
        return (
            not heard
            and elsewhere
            and self._view is not None
            and self._view.exists
            and not self._view.answers
        )

    def _leave(self) -> None:
        for follower in self._followers:
            follower.abandon()

    def _abandon(self) -> None:
        self._leave()
        wait([follower.end for follower in self._followers], timeout=ABANDON_S)

    def _check_deadline(self) -> None:
        if time.monotonic() > self._deadline:
            raise WorkloadError(f"timeouts.workload_s: not done after {self._job.spec.timeouts.workload_s} s")
