"""What users want of jobs, and what ails them: the part of a job's row that other processes write."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from tpuherd.store.records import JobState, to_record
from tpuherd.store.tables import jobs, leases

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Engine, Select

RUN = "run"
"""Go on to the end."""
WAIT = "wait"
"""Nothing by itself: it is run stage by stage."""
CANCEL = "cancel"
FINISH = "finish"
"""End well: others have done what was to be done."""
ENDINGS = (CANCEL, FINISH)
PAUSE = "pause"
PAUSE_AND_RELEASE = "pause-release"
PAUSES = (PAUSE, PAUSE_AND_RELEASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveJob:
    """What whoever drives many jobs has to know of each of them, again and again."""

    id: str
    state: str
    wanted: str
    directory: str
    expires_at: float | None
    ttl_s: float | None
    problem: str | None
    holder: str | None
    """Who has its lease; `None`: nobody."""
    leased_until: float | None
    asked_by: str | None
    """Who asks for its lease."""


_LIVE: Select[Any] = select(
    jobs.c.id,
    jobs.c.state,
    jobs.c.wanted,
    jobs.c.directory,
    jobs.c.expires_at,
    jobs.c.ttl_s,
    jobs.c.problem,
    leases.c.holder,
    leases.c.expires_at.label("leased_until"),
    leases.c.asked_by,
).outerjoin_from(jobs, leases)


_NOTHING_SEEN: dict[str, object] = {"problem": None, "acknowledged_at": None, "acknowledgement": None}


class WishStore:
    """Reads and writes wishes."""

    def __init__(self, engine: Engine) -> None:
        """Keep the database engine."""
        self._engine = engine

    def live(self, owner: str) -> list[LiveJob]:
        """A user's jobs that have not ended, oldest first, in one query."""
        states = (JobState.LIVE.value, JobState.PAUSED.value)
        query = _LIVE.where(jobs.c.owner == owner, jobs.c.state.in_(states)).order_by(jobs.c.created_at)
        with self._engine.connect() as connection:
            return [to_record(LiveJob, row) for row in connection.execute(query).all()]

    def go_on(self, job_id: str) -> None:
        """Let a job go on to its end that was paused, or run stage by stage; a cancellation stays one."""
        waits = (jobs.c.id == job_id) & jobs.c.wanted.in_((RUN, WAIT, *PAUSES))
        self._update(waits & _unended(), state=JobState.LIVE.value, wanted=RUN, **_NOTHING_SEEN)

    def by_hand(self, job_id: str) -> None:
        """Let a paused job be live, and do nothing by itself."""
        paused = (jobs.c.id == job_id) & (jobs.c.state == JobState.PAUSED.value)
        self._update(paused, state=JobState.LIVE.value, wanted=WAIT)

    def pause(self, job_id: str, wanted: str) -> None:
        """Ask for a pause, unless the job has ended or is to be cancelled."""
        self._update((jobs.c.id == job_id) & jobs.c.wanted.not_in(ENDINGS) & _unended(), wanted=wanted)

    def paused(self, job_id: str) -> None:
        """Record that a job is paused; a wish that came meanwhile stays."""
        self._update((jobs.c.id == job_id) & _unended(), state=JobState.PAUSED.value)

    def finish_others(self, fleet: str, job_id: str) -> None:
        """A member has done the work of its fleet: the others, paused ones included, have nothing to do."""
        others = (jobs.c.fleet == fleet) & (jobs.c.id != job_id) & jobs.c.wanted.not_in(ENDINGS)
        self._update(others & _unended(), wanted=FINISH)

    def trouble(self, job_id: str, problem: str | None) -> None:
        """Record why nobody can go on with a job, or that nothing keeps one from it any more."""
        other = (jobs.c.id == job_id) & jobs.c.problem.is_distinct_from(problem)
        self._update(other, **(_NOTHING_SEEN | {"problem": problem}))

    def acknowledge(self, job_id: str, text: str) -> None:
        """Record that a user has seen what is wrong with a job."""
        self._update(jobs.c.id == job_id, acknowledged_at=time.time(), acknowledgement=text)

    def _update(self, which: ColumnElement[bool], **values: object) -> None:
        with self._engine.begin() as connection:
            connection.execute(update(jobs).where(which).values(**values))


def _unended() -> ColumnElement[bool]:
    return jobs.c.state.in_((JobState.LIVE.value, JobState.PAUSED.value))
