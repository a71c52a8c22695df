"""One placement being tried: asked for or adopted, then looked at until its workers answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.cloud.deadlines import Watch
from tpuherd.cloud.knocking import Knocking
from tpuherd.cloud.outage import Outage
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.cloud.requesting import Asking
from tpuherd.cloud.sharing import first_pause_s

if TYPE_CHECKING:
    from tpuherd.cloud.deadlines import Overall
    from tpuherd.cloud.placement import Placement
    from tpuherd.cloud.supply import Found, Progress, Request, Supply
    from tpuherd.cloud.target import Target
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job

FIRST_POLL_S = 0.05
LONGEST_POLL_S = 10.0
NOTE_EVERY_S = 15.0
GLANCE_S = 0.1
"""How often it is looked whether the job goes on at all, while the workers are tried."""


class Trial:
    """Gets the slices in one placement, or says why not."""

    def __init__(self, job: Job, supply: Supply, placement: Placement, overall: Overall) -> None:
        """Keep the parts; nothing happens yet."""
        self._job = job
        self._noun = supply.noun
        self._placement = placement
        self._overall = overall
        self._outage = Outage(job)
        self._asking = Asking(job, supply, placement, overall, self._outage)

    @property
    def target(self) -> Target | None:
        """What it has asked for, or may have."""
        return self._asking.target

    def run(self, found: Found | None) -> Allocation:
        """Ask, or go on with what was found, and wait.

        Raises:
            CloudRefused: there will be nothing here, now or ever.
            ProvisionError: there is no point in trying elsewhere: see the message.
            Cancelled: the job, or this one of several trials, was cancelled.
        """
        request = self._asking.adopt(found) if found else self._asking.ask()
        knocking = Knocking(self._job, request.queued_resource_id)
        try:
            return self._wait(request, knocking)
        except BaseException:
            knocking.stop()
            raise

    def _wait(self, request: Request, knocking: Knocking) -> Allocation:
        what = f"{self._noun} {request.target.name} in {request.target.zone}"
        watch = Watch(self._job.spec.tpu, what, self._overall)
        pause_s, noted = max(FIRST_POLL_S, first_pause_s()), time.monotonic()
        while True:
            if progress := self._look(request):
                if progress.nodes and (allocation := knocking.answered(progress.nodes)):
                    return allocation
                watch.enter(progress.phase, progress.state, knocking.reason)
                noted = self._note(progress, watch, noted)
            self._rest(pause_s, knocking)
            pause_s = min(pause_s * 1.3, LONGEST_POLL_S)

    def _look(self, request: Request) -> Progress | None:
        """How far it is; `None` while the API does not answer, and it is worth waiting for it."""
        try:
            progress = request.look()
        except CloudRefused as error:
            self._outage.survive(error)
            self._overall.check(f"the TPU API, to tell about {self._placement},")
            return None
        self._outage.over()
        return progress

    def _note(self, progress: Progress, watch: Watch, noted: float) -> float:
        """Tell every now and then that it is still waited for; returns when it was told last."""
        if time.monotonic() - noted < NOTE_EVERY_S:
            return noted
        state = progress.state or "not shown yet"
        self._job.session.note(
            f"waiting for the {self._noun} in {self._placement.zone} ({state}), {watch.waited_s:.0f} s so far"
        )
        return time.monotonic()

    def _rest(self, pause_s: float, knocking: Knocking) -> None:
        """Wait before the next call, but no longer than until the workers have answered."""
        until = time.monotonic() + pause_s
        if knocking.resting:
            self._job.session.sleep(pause_s)
        while not knocking.resting and time.monotonic() < until:
            knocking.rest(max(GLANCE_S, first_pause_s()))
            self._job.session.checkpoint()
