"""From an error to a decision: observe, diagnose, ask the policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.engine.past import past
from tpuherd.engine.recorder import recorded
from tpuherd.engine.scenery import in_scene
from tpuherd.engine.stages import Stage
from tpuherd.model.failure import (
    Diagnosis,
    FailureClass,
    GiveUp,
    Observation,
    Recovery,
)
from tpuherd.observing.gathering import Failure, gather
from tpuherd.observing.weighing import weigh
from tpuherd.recovery.texts import diagnosis_text
from tpuherd.store.records import StageState

if TYPE_CHECKING:
    from tpuherd.errors import TpuherdError
    from tpuherd.hooks import Hooks
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job
    from tpuherd.store.store import Store

__all__ = ["Judge", "Verdict", "diagnosis_text"]


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
        """Observe, diagnose and decide; the diagnosis is published as an event."""
        diagnosis = self.diagnose(error, allocation)
        return Verdict(diagnosis=diagnosis, recovery=self.decide(diagnosis))

    def decide(self, diagnosis: Diagnosis) -> Recovery:
        """Ask the policy; nothing is done about it, and nothing published."""
        history = past(self._store, self._job.id)
        recovery = self._hooks.recover(job=self._job, diagnosis=diagnosis, history=history)
        return recovery or GiveUp(reason="no recovery policy has an answer")

    def diagnose(self, error: TpuherdError, allocation: Allocation | None) -> Diagnosis:
        """Observe, and let the plugins say what it means; published as an event."""
        diagnosis = self.look(error, allocation)
        self._job.session.publish("diagnosis", f"{diagnosis.failure.value}: {'; '.join(diagnosis.evidence)}")
        return diagnosis

    def look(self, error: TpuherdError, allocation: Allocation | None) -> Diagnosis:
        """Observe, and let the plugins say what it means; nothing is published."""
        observation = self._observe(error, allocation)
        opinions = self._hooks.detect_failure(job=self._job, observation=observation)
        diagnosis = weigh(opinions) or _no_opinion(observation)
        return in_scene(self._store, self._job, observation, diagnosis, allocation)

    def _observe(self, error: TpuherdError, allocation: Allocation | None) -> Observation:
        rows = [r for r in self._store.stages.all(self._job.id) if r.attempt == self._job.attempt.number]
        failed = [row.stage for row in rows if row.state is StageState.FAILED]
        last = (failed or [row.stage for row in rows] or [""])[-1]
        end = recorded(self._store.stages, self._job.id, self._job.attempt.number, Stage.RUN_WORKLOAD)
        stage = Stage.RUN_WORKLOAD.value if end and not end.succeeded else last
        return gather(self._hooks, self._job, Failure(stage=stage, error=error, exit=end), allocation)


def _no_opinion(observation: Observation) -> Diagnosis:
    return Diagnosis(failure=FailureClass.UNKNOWN, evidence=(observation.error,), confidence=0.0)
