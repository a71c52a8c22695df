"""Getting the slices of a job: in any of its placements, exactly once, whatever happened before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd.cloud.backoff import Backoff
from tpuherd.cloud.buckets import warn_of_distant
from tpuherd.cloud.deadlines import Overall
from tpuherd.cloud.placement import rounds
from tpuherd.cloud.racing import Refused, Runner, race
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.cloud.summing_up import nothing_anywhere
from tpuherd.cloud.survey import best, survey, zones_of
from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.cloud.placement import Placement, Round
    from tpuherd.cloud.supply import Found, Supply
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job

LONGEST_SLEEP_S = 60.0


def acquire(job: Job, make: Callable[[Job], Supply]) -> Allocation:
    """Get slices whose workers all answer.

    Args:
        job: whose attempt it is.
        make: the supply for a job.

    Raises:
        ProvisionError: there are none, and what was said in each placement.
        Cancelled: the job was cancelled; what was asked for is found again.
    """
    warn_of_distant(job)
    return Acquisition(job, make).run()


class Acquisition:
    """One call of `provision`."""

    def __init__(self, job: Job, make: Callable[[Job], Supply]) -> None:
        """Keep the parts; nothing happens yet."""
        self._job = job
        self._make = make
        self._supply = make(job)
        self._rounds = rounds(job.spec.tpu, job.attempt.zone)
        self._overall = Overall(job.spec.tpu.provision_timeout_s)
        self._backoff = Backoff()
        self._found: dict[Placement, Found] = {}
        self._unknown: dict[str, CloudRefused] = {}
        self._said: dict[Placement, CloudRefused] = {}

    def run(self) -> Allocation:
        """Adopt or ask, round after round if the job waits for capacity."""
        self._survey(zones_of(self._job))
        for group in self._adopted():
            if allocation := self._try(group):
                return allocation
        while True:
            for group in self._rounds:
                if allocation := self._try(group):
                    return allocation
            self._between_rounds()

    def _survey(self, zones: tuple[str, ...]) -> None:
        """Find what an interrupted call has asked for."""
        found: list[Found] = []
        for zone, answer in survey(self._supply, zones).items():
            self._unknown.pop(zone, None)
            if not isinstance(answer, CloudRefused):
                found += [one for one in answer if self._is_this_attempts(one)]
            elif answer.meaning.hopeless:
                raise answer
            else:
                self._unknown[zone] = answer
        self._sort(found)

    def _is_this_attempts(self, found: Found) -> bool:
        return found.attempt == str(self._job.attempt.number) and not found.leaving

    def _sort(self, found: list[Found]) -> None:
        """Keep one of each placement, or the best one where one placement is tried at a time."""
        one_at_a_time = all(len(group) == 1 for group in self._rounds)
        known = {placement for group in self._rounds for placement in group}
        for one in best(self._supply, found):
            surplus = one.placement in self._found or (one_at_a_time and self._found)
            if surplus or one.placement not in known:
                self._withdraw(one)
            else:
                self._found[one.placement] = one

    def _withdraw(self, found: Found) -> None:
        where = f"{self._supply.noun} {found.target.name} in {found.placement.zone}"
        self._job.session.note(f"{where} is not needed: an interrupted call has asked for more than one")
        try:
            self._supply.withdraw(found.target)
        except ProvisionError as error:
            self._job.session.note(f"{where} is not withdrawn yet, the release tries again: {error}")

    def _adopted(self) -> list[Round]:
        """The placements that are tried first, because there is something: one by one, or in the race."""
        return [group for group in self._rounds if len(group) == 1 and group[0] in self._found]

    def _try(self, group: Round) -> Allocation | None:
        """Try the placements of one round that nothing keeps from."""
        open_now = [place for place in group if self._is_open(place)]
        for place in open_now:
            if len(self._rounds) > 1 or len(group) > 1:
                self._job.session.note(f"trying {place}")
        runners = [Runner(self._alone(open_now), self._make, place, self._overall) for place in open_now]
        result = race(self._job, runners, [self._found.pop(place, None) for place in open_now])
        if not isinstance(result, list):
            return result
        for refused in result:
            self._refused(refused)
        return None

    def _alone(self, open_now: list[Placement]) -> Job:
        """The job for one of several that are tried at once: it can be given up alone."""
        if len(open_now) == 1:
            return self._job
        return replace(self._job, session=self._job.session.branch())

    def _is_open(self, place: Placement) -> bool:
        """True if it can be asked for there; what is not known about its zone is asked again."""
        self._overall.check(f"getting {place}")
        if place.zone in self._unknown:
            self._survey((place.zone,))
        if place.zone in self._unknown:
            self._refused(Refused(placement=place, error=self._unknown[place.zone]))
        return self._backoff.barrier(place) is None

    def _refused(self, refused: Refused) -> None:
        self._said[refused.placement] = refused.error
        self._backoff.refused(refused.placement, refused.error)
        self._job.session.note(f"not {refused.placement}: {refused.error.text.splitlines()[0]}")

    def _between_rounds(self) -> None:
        """Wait for the first barrier to fall; raises if the job does not wait, or nothing will change."""
        places = [place for group in self._rounds for place in group]
        opens_in_s = min(self._backoff.opens_in_s(place) for place in places)
        if not self._job.spec.tpu.wait_for_capacity or opens_in_s == float("inf"):
            raise nothing_anywhere(places, self._said, self._backoff)
        self._overall.check(f"getting {' or '.join(map(str, places))}")
        self._job.session.sleep(max(0.05, min(opens_in_s, LONGEST_SLEEP_S, self._overall.left_s)))
