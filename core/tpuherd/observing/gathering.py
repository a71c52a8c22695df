"""Putting everything together that is known about a failed attempt; what cannot be had is left out."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tpuherd.errors import PluginError
from tpuherd.model.observation import Observation, Presence
from tpuherd.model.outcome import EndedBy, ExitKind
from tpuherd.observing.facts import facts
from tpuherd.observing.hosts import ask_hosts
from tpuherd.observing.logs import log_findings
from tpuherd.observing.table import check_ids, from_job
from tpuherd.observing.weighing import findings

if TYPE_CHECKING:
    from tpuherd.errors import TpuherdError
    from tpuherd.hooks import Hooks
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.detector import Detector
    from tpuherd.model.job import Job
    from tpuherd.model.observation import HostObservation, SliceObservation
    from tpuherd.model.outcome import WorkloadExit

log = logging.getLogger(__name__)

SETTLE_S = 3.0
"""How long after a worker was last heard the control plane is asked again why: it often learns that later."""
AGAIN_S = 0.5
WORKLOAD = "run_workload"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What the engine knows of a failure."""

    stage: str
    error: TpuherdError
    exit: WorkloadExit | None
    """How the workload ended; `None`: it did not come to that."""


def gather(hooks: Hooks, job: Job, failure: Failure, allocation: Allocation | None) -> Observation:
    """Look at the slices, the machines and the logs, and match all that with the detector table."""
    observation = Observation(
        stage=failure.stage,
        error=str(failure.error),
        refusal=_refusal(failure.error),
        slices=_slices(hooks, job, failure, allocation) if allocation else (),
        exit=failure.exit,
    )
    if allocation:
        observation = replace(observation, hosts=_hosts(job, observation, allocation))
    return with_findings(observation, job, _rows(hooks, job))


def with_findings(observation: Observation, job: Job, rows: list[Detector]) -> Observation:
    """The same with what the rows of the detector table find in it, and in the kept logs."""
    ends = observation.exit.workers if observation.exit else ()
    in_logs = log_findings(job.attempt_directory, [end.worker for end in ends], rows)
    return replace(observation, findings=(*findings(rows, facts(observation)), *in_logs))


def _rows(hooks: Hooks, job: Job) -> list[Detector]:
    """All rows; those of the job file first, because of equal ones the first counts."""
    rows = [*from_job(job.spec.detection.patterns), *(row for _, row in hooks.detectors())]
    try:
        check_ids(rows)
    except PluginError as error:
        log.warning("%s", error)
    return rows


def _refusal(error: TpuherdError) -> str:
    """Of errors that the cloud's refusals are, in whatever they are wrapped."""
    from tpuherd.cloud.refusals import CloudRefused

    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, CloudRefused):
        cause = cause.__cause__
    return cause.refusal.value if cause else ""


def _slices(hooks: Hooks, job: Job, failure: Failure, allocation: Allocation) -> tuple[SliceObservation, ...]:
    """As they are; if a worker has just gone away and all looks well, as they are a little later."""
    deadline = time.monotonic() + unsettled_s(failure.exit, time.time())
    while True:
        seen = tuple(hooks.observe(job=job, allocation=allocation))
        settled = not _is_riddle(failure.exit, seen) or time.monotonic() > deadline
        if settled or job.session.cancelled:
            return seen
        time.sleep(AGAIN_S)


def unsettled_s(end: WorkloadExit | None, now: float) -> float:
    """What is left of the time that the control plane has, since the last lost worker was heard.

    Args:
        end: how the workload ended.
        now: seconds since the epoch; a clock that was set back makes it no longer.
    """
    lost = [one.happened_at for one in end.workers if one.kind is ExitKind.LOST] if end else []
    return max(0.0, min(SETTLE_S, max(lost, default=0.0) + SETTLE_S - now))


def _is_riddle(end: WorkloadExit | None, seen: tuple[SliceObservation, ...]) -> bool:
    went_away = end is not None and any(one.kind is ExitKind.LOST for one in end.workers)
    well = all(one.presence is Presence.PRESENT and one.state == "READY" and not one.detail for one in seen)
    return went_away and bool(seen) and well


def _hosts(job: Job, observation: Observation, allocation: Allocation) -> tuple[HostObservation, ...]:
    """Of the workers that can answer, if nothing explains the failure of the workload yet."""
    if observation.stage != WORKLOAD or not _asked(observation):
        return ()
    ends = observation.exit.workers if observation.exit else ()
    lost = {end.worker for end in ends if end.kind is ExitKind.LOST}
    gone = {one.node_id for one in observation.slices if one.presence is Presence.ABSENT}
    there = [w.index for w in allocation.workers if w.index not in lost and w.node_id not in gone]
    return ask_hosts(job, allocation, there)


def _asked(observation: Observation) -> bool:
    end = observation.exit
    return end is None or (not end.succeeded and end.ended_by in {EndedBy.ITSELF, EndedBy.HANG})
