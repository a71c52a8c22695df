"""Several placements at once: the first whose workers all answer wins, the others are given up."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.cloud.refusals import CloudRefused
from tpuherd.cloud.trial import Trial
from tpuherd.errors import Cancelled, ProvisionError
from tpuherd.remote.parallel import in_background

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from tpuherd.cloud.deadlines import Overall
    from tpuherd.cloud.placement import Placement
    from tpuherd.cloud.supply import Found, Supply
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job

GIVING_UP_S = 90.0
"""How long the others may take to stop: a call of the API may take 30 s."""
GLANCE_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """What was said in one placement."""

    placement: Placement
    error: CloudRefused


class Runner:
    """One placement of a race. What it has asked for is withdrawn if it is refused, or loses."""

    def __init__(
        self, job: Job, make: Callable[[Job], Supply], placement: Placement, overall: Overall
    ) -> None:
        """Keep the parts; if there are several runners, the session of each can be cancelled alone."""
        self._placement = placement
        self._job = job
        self._supply = make(self._job)
        self._trial = Trial(self._job, self._supply, placement, overall)
        self._lost = False

    def run(self, found: Found | None) -> Allocation | Refused:
        """Try; a refusal that another placement may not share is a result, anything else is raised.

        After an answer that was lost nothing is deleted and nothing is asked for elsewhere: what was asked
        for may still come.
        """
        try:
            return self._trial.run(found)
        except CloudRefused as error:
            if error.unanswered:
                raise
            self.withdraw()
            if error.meaning.hopeless:
                raise
            return Refused(placement=self._placement, error=error)
        except ProvisionError:
            self.withdraw()
            raise
        except Cancelled:
            if self._lost:
                self.withdraw()
            raise

    def lose(self) -> None:
        """Another one has got the slices, or none is going to: give up, and withdraw."""
        self._lost = True
        self.stop()

    def stop(self) -> None:
        """Give up; what was asked for stays, and is found again."""
        self._job.session.cancel()

    def withdraw(self) -> None:
        """Give back what was asked for here; what that cannot do now, the release does."""
        target = self._trial.target
        if target is None:
            return
        try:
            self._supply.withdraw(target)
        except ProvisionError as error:
            self._job.session.note(
                f"{self._supply.noun} {target.name} in {target.zone} is not withdrawn yet, the release tries "
                f"again: {error}"
            )


def race(job: Job, runners: Sequence[Runner], found: Sequence[Found | None]) -> Allocation | list[Refused]:
    """Let all run; returns what the first has got once the others have given up, or what all were told.

    Args:
        job: whose cancellation ends it.
        runners: one for each placement.
        found: what is there already, for each of them.

    Raises:
        ProvisionError: one was told what holds for all of them.
        Cancelled: the job was cancelled.
    """
    if len(runners) == 1:
        result = runners[0].run(found[0])
        return [result] if isinstance(result, Refused) else result
    running = [
        in_background(lambda pair: pair[0].run(pair[1]), pair) for pair in zip(runners, found, strict=True)
    ]
    try:
        won = _first(job, running)
    except ProvisionError:
        _end(running, [runner.lose for runner in runners])
        raise
    except BaseException:  # the job is cancelled, or goes on without this process
        _end(running, [runner.stop for runner in runners])
        raise
    _end(running, [runner.lose for runner in runners])
    if won is None:
        return [result for future in running if isinstance(result := future.result(), Refused)]
    _withdraw_second(won, runners, running)
    return won


def _first(job: Job, running: Sequence[Future[Allocation | Refused]]) -> Allocation | None:
    """The first allocation; `None` if there is none."""
    left = set(running)
    while left:
        job.session.checkpoint()
        done, left = wait(left, timeout=GLANCE_S, return_when=FIRST_COMPLETED)
        for future in done:
            result = future.result()
            if not isinstance(result, Refused):
                return result
    return None


def _withdraw_second(
    won: Allocation, runners: Sequence[Runner], running: Sequence[Future[Allocation | Refused]]
) -> None:
    """Another one may have got its slices in the moment before it was told that it has lost."""
    for runner, future in zip(runners, running, strict=True):
        got = future.result() if future.done() and future.exception() is None else None
        if got is not None and got is not won and not isinstance(got, Refused):
            runner.withdraw()


def _end(running: Sequence[Future[Allocation | Refused]], calls: Sequence[Callable[[], None]]) -> None:
    for call in calls:
        call()
    wait(running, timeout=GIVING_UP_S)
