"""Asking for a recovery by hand: what would be done now, and doing it for a job that was given up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.engine.attempts import current_attempt
from tpuherd.engine.describing import describe_failure
from tpuherd.engine.finishing import run_job
from tpuherd.engine.judging import Judge
from tpuherd.engine.opening import job_on_paper, open_job
from tpuherd.engine.recorder import recorded
from tpuherd.engine.recovering import Recovering
from tpuherd.engine.stages import Stage
from tpuherd.engine.standing import Standing
from tpuherd.errors import StateError, TpuherdError
from tpuherd.model.failure import GiveUp
from tpuherd.recovery.texts import diagnosis_of, recovery_of
from tpuherd.store.records import JobState

if TYPE_CHECKING:
    from tpuherd.engine.controller import Controller
    from tpuherd.engine.engine import Engine
    from tpuherd.engine.outcomes import Outcome
    from tpuherd.engine.session import Session
    from tpuherd.hooks import Hooks
    from tpuherd.model.failure import Diagnosis, Recovery
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Considered:
    """What a job's newest attempt suffers from, and what its policy would do."""

    diagnosis: Diagnosis
    recovery: Recovery
    decided: bool
    """It was decided already and is carried out next; else it is only what the policy would say now."""


def consider(store: Store, hooks: Hooks, record: JobRecord, session: Session) -> Considered:
    """Say what would be done about a job now; nothing is changed.

    A failure that was diagnosed already is not looked at again: its slices may have been given back since.

    Raises:
        StateError: nothing of it has failed, or it was cancelled.
    """
    if record.state in {JobState.SUCCEEDED, JobState.CANCELLED}:
        raise StateError(f"job {record.id}: {record.state.value}, there is nothing to recover")
    paper = job_on_paper(hooks, record, session, current_attempt(store, record.id))
    known = [row for row in store.recoveries.all(record.id) if row.attempt == record.attempt]
    newest = known[-1] if known else None
    if newest is not None and newest.done_at is None:
        found, decided = diagnosis_of(newest.diagnosis), recovery_of(newest.recovery)
        if not isinstance(decided, GiveUp):
            return Considered(diagnosis=found, recovery=decided, decided=True)
    else:
        found = _looked_at(store, hooks, record, session)
    return Considered(diagnosis=found, recovery=Judge(store, hooks, paper).decide(found), decided=False)


def revive(controller: Controller, engine: Engine, by_hand: Recovery | None) -> Outcome:
    """Carry a recovery out for a job that nobody drives, and run the job to its end.

    Args:
        controller: of the job.
        engine: of the job.
        by_hand: what to do; default: what the policy says.

    Raises:
        StateError: nothing has failed, or the policy gives up.
    """
    store, record = controller.store, controller.record
    found = consider(store, controller.hooks, record, controller.session)
    decision = by_hand or found.recovery
    if isinstance(decision, GiveUp):
        raise StateError(
            f"the policy gives up: {decision.reason}. To do something all the same: "
            f"`tpuherd recover {record.id} --action restart`, or replace, move, rerun"
        )
    if by_hand is not None or not found.decided:
        Recovering(engine, store, controller.hooks).record(found.diagnosis, decision)
    store.jobs.want(record.id, "run")
    store.jobs.reopen(store.jobs.get(record.id))
    return run_job(controller, engine, keep=record.keep)


def _looked_at(store: Store, hooks: Hooks, record: JobRecord, session: Session) -> Diagnosis:
    """What the plugins say about a job that nobody has diagnosed yet."""
    if not any(row.attempt == record.attempt for row in store.stages.all(record.id)):
        raise StateError(f"job {record.id} has not begun: `tpuherd resume {record.id}` goes on with it")
    job = open_job(store, hooks, record, session)
    standing = Standing(store, job)
    judge = Judge(store, hooks, job)
    allocation = standing.allocation if standing.holds_slices else None
    found = judge.look(TpuherdError(_error(store, standing)), allocation)
    if standing.failed_stage is None and found.scene.usable is not False:
        raise StateError(f"nothing of job {record.id} has failed, as far as can be seen")
    return found


def _error(store: Store, standing: Standing) -> str:
    stage = standing.failed_stage
    if stage is Stage.RUN_WORKLOAD and standing.workload_failed:
        end = recorded(store.stages, standing.job.id, standing.job.attempt.number, stage)
        return describe_failure(end)
    row = stage and store.stages.get(standing.job.id, standing.job.attempt.number, stage.value)
    return (row.error if row else None) or ""
