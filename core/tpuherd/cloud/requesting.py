"""Asking in one placement exactly once, also after a crash, a race for a name, or a lost answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.cloud.classification import CONFLICT
from tpuherd.cloud.deadlines import Watch
from tpuherd.cloud.naming import candidates
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.cloud.runtime_versions import require_offered
from tpuherd.cloud.supply import Phase
from tpuherd.config.naming import has_index

if TYPE_CHECKING:
    from tpuherd.cloud.deadlines import Overall
    from tpuherd.cloud.outage import Outage
    from tpuherd.cloud.placement import Placement
    from tpuherd.cloud.supply import Found, Request, Supply
    from tpuherd.cloud.target import Target
    from tpuherd.model.job import Job

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 10.0


class Asking:
    """Asks in one placement, or adopts what is there."""

    def __init__(
        self, job: Job, supply: Supply, placement: Placement, overall: Overall, outage: Outage
    ) -> None:
        """Keep the parts; nothing happens yet."""
        self._job = job
        self._supply = supply
        self._placement = placement
        self._overall = overall
        self._outage = outage
        self.target: Target | None = None
        """What was or may have been asked for: to be withdrawn if it comes to nothing."""

    def adopt(self, found: Found) -> Request:
        """Go on with what an earlier call asked for."""
        self._job.session.note(
            f"going on with {self._supply.noun} {found.target.name}, {found.state} in {self._placement.zone}"
        )
        self.target = found.target
        return self._supply.adopt(found)

    def ask(self) -> Request:
        """Ask under the first name that is free.

        Raises:
            CloudRefused: the API refuses, or the only possible name is somebody else's.
            ProvisionError: it took too long altogether.
        """
        tpu, zone = self._job.spec.tpu, self._placement.zone
        require_offered(self._job.cloud, zone, tpu.runtime_version_for(self._placement.accelerator))
        tries = (self._ask_for(target) for target in candidates(self._job, self._placement))
        return next(request for request in tries if request is not None)

    def _ask_for(self, target: Target) -> Request | None:
        """Ask under one name; `None` if it is taken, and there are others.

        A name that is taken by something that is not shown, or that is being deleted, is asked for again.
        """
        watch = Watch(
            self._job.spec.tpu, f"{self._supply.noun} {target.name} in {target.zone}", self._overall
        )
        while True:
            if request := self._try(target):
                return request
            found = self._find(target)
            if found and not found.leaving:
                return self._take(found)
            if self._outage.lasts:
                self._overall.check(f"asking for {self._placement}")
            else:
                watch.enter(Phase.ACCEPTED, found.state if found else "")
            self._job.session.sleep(min(FIRST_PAUSE_S + watch.waited_s / 4, LONGEST_PAUSE_S))

    def _try(self, target: Target) -> Request | None:
        """Ask once; `None` if the name is taken, or if it is not known whether the API has heard it."""
        from google.api_core.exceptions import AlreadyExists

        self.target = target
        try:
            return self._supply.ask(target)
        except AlreadyExists:
            return None
        except CloudRefused as error:
            self._outage.survive(error)
            return None

    def _find(self, target: Target) -> Found | None:
        try:
            found = self._supply.find(target)
        except CloudRefused as error:
            self._outage.survive(error)
            return None
        self._outage.over()
        return found

    def _take(self, found: Found) -> Request | None:
        """Go on with what has the name, if this very attempt asked for it here; `None`: try the next."""
        asked = found.ours and found.attempt == str(self._job.attempt.number)
        if asked and found.placement == self._placement:
            return self.adopt(found)
        self.target = None
        if has_index(self._job.spec.tpu.name):
            return None
        what = f"{found.noun} {found.target.name} in {self._placement.zone}"
        raise CloudRefused(f"{what} exists already, and job {self._job.id} did not make it", CONFLICT)
