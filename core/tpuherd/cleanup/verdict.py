"""What may be deleted, and why: a pure function of what the cloud and the store said."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from tpuherd.cloud.labels import ATTEMPT, STORE, expiry_of, label_value
from tpuherd.output.tables import duration

if TYPE_CHECKING:
    from tpuherd.cleanup.jobs import JobFacts, Known
    from tpuherd.fleet.tpu import Tpu

GRACE_S = 300.0
"""How much longer what another store knows stays: its own controllers give it back at its time."""
DEAD_QUEUE_STATES = ("FAILED", "SUSPENDED", "SUSPENDING")
"""States in which a queued resource gives nothing any more, and still holds quota."""
LEAVING = ("DELETING", "HIDING", "HIDDEN")


class Fate(Enum):
    """What is to be done about a resource."""

    GOES = "may go"
    STAYS = "stays"
    UNKNOWN = "unknown"
    """It stays, because not everything is known that would have to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is to be done about a resource of ours, and why."""

    fate: Fate
    reason: str
    job: str = ""
    """The job of this store that gives it back; empty: it is deleted without one."""


def is_foreign(tpu: Tpu, known: Known) -> bool:
    """True for what somebody else made, or made by other means, whatever its name looks like."""
    return not tpu.owner or tpu.owner != known.owner


def judge(tpu: Tpu, known: Known, silent: frozenset[str], now: float) -> Verdict:
    """What is to be done about a resource of ours.

    Args:
        tpu: a row of the fleet that is not foreign, see `is_foreign`.
        known: what the store knows, asked after the fleet was read.
        silent: zones that did not answer completely.
        now: Unix time in seconds.
    """
    if tpu.zone in silent or "-" in silent:
        return Verdict(fate=Fate.UNKNOWN, reason=f"{tpu.zone} did not answer completely")
    if tpu.state in LEAVING:
        return _stays("it is being deleted")
    jobs = known.jobs.get(tpu.job, ())
    if len(jobs) > 1:
        ids = ", ".join(job.id for job in jobs)
        return Verdict(fate=Fate.UNKNOWN, reason=f"its label may mean {ids}")
    store = tpu.labels.get(STORE, "")
    if jobs and store in ("", label_value(known.store_id)):
        return _of_job(tpu, jobs[0])
    if store != label_value(known.store_id):
        return _of_another_store(tpu, store, now)
    return _orphan(tpu, now)


def _of_job(tpu: Tpu, job: JobFacts) -> Verdict:
    if job.driver:
        return _stays(f"job {job.id} is being driven")
    if _left_behind(tpu, job):
        return _goes(f"it is from an earlier attempt of job {job.id}, which does not hold it")
    if job.due and job.holding:
        return _goes(f"job {job.id}: {job.due}", job)
    if job.live:
        return _stays(f"job {job.id} is live: `tpuherd resume {job.id}` goes on with it")
    if tpu.queue_state in DEAD_QUEUE_STATES:
        return _goes(f"its queued resource is {tpu.queue_state}, and job {job.id} has ended", job)
    return _of_ended_job(tpu, job)


def _of_ended_job(tpu: Tpu, job: JobFacts) -> Verdict:
    if job.keep and job.holding and (job.held is None or _is_held(tpu, job)):
        return _stays(f"job {job.id} keeps it: `tpuherd release --job {job.id}` gives it back")
    return _goes(f"job {job.id} has {job.state}", job)


def _of_another_store(tpu: Tpu, store: str, now: float) -> Verdict:
    expires_at = expiry_of(tpu.labels)
    if expires_at is not None and expires_at + GRACE_S < now:
        return _goes(f"it expired {duration(now - expires_at)} ago, and the store that knows it let it be")
    if store:
        return _stays("another store knows it")
    return _stays("its labels do not say which store knows it")


def _orphan(tpu: Tpu, now: float) -> Verdict:
    """This store made it, and has no job for it."""
    if tpu.job:
        return _goes(f"this store has forgotten job {tpu.job}")
    expires_at = expiry_of(tpu.labels)
    if expires_at is not None and expires_at < now:
        return _goes(f"it expired {duration(now - expires_at)} ago")
    if tpu.queue_state in DEAD_QUEUE_STATES:
        return _goes(f"its queued resource is {tpu.queue_state}")
    return _stays("it was made without a job")


def _left_behind(tpu: Tpu, job: JobFacts) -> bool:
    """True if an earlier attempt made it, and the newest one neither kept it nor may be about to."""
    label = tpu.labels.get(ATTEMPT, "")
    earlier = label.isdecimal() and int(label) < job.attempt
    return earlier and not (job.held is not None and job.holding and _is_held(tpu, job))


def _is_held(tpu: Tpu, job: JobFacts) -> bool:
    return bool({tpu.name, tpu.queued_resource} & (job.held or frozenset()))


def _goes(reason: str, job: JobFacts | None = None) -> Verdict:
    return Verdict(fate=Fate.GOES, reason=reason, job=job.id if job and job.holding else "")


def _stays(reason: str) -> Verdict:
    return Verdict(fate=Fate.STAYS, reason=reason)
