"""From an error to a decision: observe, diagnose, ask the policy."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tpuherd.engine.recorder import recorded
from tpuherd.engine.stages import Stage
from tpuherd.model.failure import (
    AttemptRecord,
    Diagnosis,
    FailureClass,
    GiveUp,
    Observation,
    Recovery,
)
from tpuherd.store.records import StageState

if TYPE_CHECKING:
    from tpuherd.errors import TpuherdError
    from tpuherd.hooks import Hooks
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job
    from tpuherd.store.records import AttemptRow
    from tpuherd.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a failure means and what is done about it."""

    diagnosis: Diagnosis
    recovery: Recovery


class Judge:
    """Asks the plugins about a failed attempt."""

    def __init__(self, store: Store, hooks: Hooks, job: Job) -> None:
        """Keep the parts."""
        self._store = store
        self._hooks = hooks
        self._job = job

    def judge(self, error: TpuherdError, allocation: Allocation | None) -> Verdict:
        """Observe, diagnose and decide; the steps are published as events."""
        diagnosis = self.diagnose(error, allocation)
        recovery = self._hooks.recover(job=self._job, diagnosis=diagnosis, history=self._history())
        decision = recovery or GiveUp(reason="no recovery policy has an answer")
        self._job.session.publish("recovery", f"{type(decision).__name__}: {decision.reason}")
        return Verdict(diagnosis=diagnosis, recovery=decision)

    def diagnose(self, error: TpuherdError, allocation: Allocation | None) -> Diagnosis:
        """Observe, and let the plugins say what it means."""
        observation = self._observe(error, allocation)
        opinions = self._hooks.detect_failure(job=self._job, observation=observation)
        diagnosis = opinions[0] if opinions else _no_opinion(observation)
        self._job.session.publish("diagnosis", f"{diagnosis.failure.value}: {'; '.join(diagnosis.evidence)}")
        return diagnosis

    def _observe(self, error: TpuherdError, allocation: Allocation | None) -> Observation:
        rows = [r for r in self._store.stages.all(self._job.id) if r.attempt == self._job.attempt.number]
        failed = [row for row in rows if row.state is StageState.FAILED]
        last = (failed or rows)[-1]
        return Observation(
            stage=last.stage,
            error=str(error),
            slices=tuple(self._hooks.observe(job=self._job, allocation=allocation)) if allocation else (),
            exit=recorded(self._store.stages, self._job.id, self._job.attempt.number, Stage.RUN_WORKLOAD),
        )

    def _history(self) -> list[AttemptRecord]:
        return [_record(row) for row in self._store.jobs.attempts(self._job.id) if row.diagnosis]


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """A diagnosis as JSON, for the store."""
    return json.dumps(asdict(diagnosis) | {"failure": diagnosis.failure.value})


def _no_opinion(observation: Observation) -> Diagnosis:
    return Diagnosis(failure=FailureClass.UNKNOWN, evidence=(observation.error,), confidence=0.0)


def _record(row: AttemptRow) -> AttemptRecord:
    values = json.loads(row.diagnosis or "{}")
    values["failure"] = FailureClass(values["failure"])
    values["evidence"] = tuple(values["evidence"])
    return AttemptRecord(
        number=row.number,
        diagnosis=Diagnosis(**values),
        recovery=row.recovery or "",
        started_at=row.started_at,
        ended_at=row.ended_at or row.started_at,
    )
