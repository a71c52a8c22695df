"""One job's attempts: each stage is recorded before and after it happens, and found again afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd.engine.describing import describe_failure
from tpuherd.engine.judging import Judge, diagnosis_text
from tpuherd.engine.recorder import Recorder
from tpuherd.engine.restarting import kept_stages
from tpuherd.engine.stages import Stage
from tpuherd.errors import Cancelled, TpuherdError, WorkloadError
from tpuherd.model.failure import GiveUp, MoveZone, RerunFromScratch, Wait
from tpuherd.model.job import Attempt
from tpuherd.store.records import StageState

if TYPE_CHECKING:
    from tpuherd.hooks import Hooks
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.failure import Recovery
    from tpuherd.model.job import Job
    from tpuherd.model.outcome import CollectedResults, Environment, SyncedCode, WorkloadExit
    from tpuherd.store.store import Store


class Engine:
    """Drives one job. Every method may be called again: what is done already is only looked up."""

    def __init__(self, store: Store, hooks: Hooks, job: Job) -> None:
        """Keep the parts; nothing happens yet."""
        self.job = job
        self._store = store
        self._hooks = hooks

    def run_to_end(self) -> None:
        """Run all stages up to the collected results, with recoveries; raises what could not be recovered."""
        while True:
            try:
                self.collect()
            except Cancelled:
                raise
            except TpuherdError as error:
                self._recover(error)
            else:
                return

    def provision(self) -> Allocation:
        """The slices of this attempt."""
        return self._stages.once(Stage.PROVISION, self._provision)

    def prepare_env(self) -> Environment:
        """The environment on them."""
        allocation = self.provision()
        return self._stages.once(
            Stage.PREPARE_ENV, lambda: self._hooks.prepare_env(job=self.job, allocation=allocation)
        )

    def sync_code(self) -> SyncedCode:
        """The code on them."""
        allocation = self.provision()
        return self._stages.once(
            Stage.SYNC_CODE, lambda: self._hooks.sync_code(job=self.job, allocation=allocation)
        )

    def run_workload(self) -> WorkloadExit:
        """The end of the workload; raises `WorkloadError` if it failed."""
        allocation, environment, code = self.provision(), self.prepare_env(), self.sync_code()
        end = self._stages.once(
            Stage.RUN_WORKLOAD,
            lambda: self._hooks.run_workload(
                job=self.job, allocation=allocation, environment=environment, code=code
            ),
        )
        if not end.succeeded:
            raise WorkloadError(describe_failure(end))
        return end

    def collect(self) -> CollectedResults | None:
        """The results, brought home."""
        end = self.run_workload()
        allocation, environment, code = self.provision(), self.prepare_env(), self.sync_code()
        return self._stages.once(
            Stage.COLLECT,
            lambda: self._hooks.collect(
                job=self.job, allocation=allocation, environment=environment, code=code, end=end
            ),
        )

    def release(self) -> None:
        """Give back whatever this attempt holds or may have asked for."""
        if self._stages.row(Stage.PROVISION) is not None:
            allocation = self._stages.value(Stage.PROVISION)
            self._stages.once(Stage.RELEASE, lambda: self._hooks.release(job=self.job, allocation=allocation))

    @property
    def workload_failed(self) -> bool:
        """True if the workload of this attempt has ended in failure."""
        end = self._stages.value(Stage.RUN_WORKLOAD)
        return end is not None and not end.succeeded

    @property
    def failed_stage(self) -> Stage | None:
        """The stage in which this attempt has failed so far, if any."""
        if self.workload_failed:
            return Stage.RUN_WORKLOAD
        rows = ((stage, self._stages.row(stage)) for stage in Stage if stage is not Stage.RELEASE)
        return next((stage for stage, row in rows if row and row.state is StageState.FAILED), None)

    def last_diagnosis(self) -> str:
        """What the failure of this attempt's workload means, as JSON for the store."""
        error = WorkloadError(describe_failure(self._stages.value(Stage.RUN_WORKLOAD)))
        return diagnosis_text(self._judge().diagnose(error, self._stages.value(Stage.PROVISION)))

    def workload_started_on(self) -> Allocation | None:
        """The allocation on which the workload of this attempt may run, unless it is being given back."""
        row = self._stages.row(Stage.RUN_WORKLOAD)
        held: Allocation | None = self._stages.value(Stage.PROVISION)
        runs = row is not None and row.result is None and self._stages.row(Stage.RELEASE) is None
        return held if runs else None

    def next_attempt(self, recovery: Recovery, diagnosis: str) -> None:
        """Begin a new attempt as a recovery says: on the same slices, or after giving them back."""
        kept = kept_stages(recovery)
        if Stage.PROVISION not in kept:
            self.release()
        attempt = Attempt(
            number=self.job.attempt.number + 1,
            zone=recovery.zone if isinstance(recovery, MoveZone) else self.job.attempt.zone,
            resume=not isinstance(recovery, RerunFromScratch),
        )
        self._store.jobs.next_attempt(
            self.job.id,
            attempt.number,
            zone=attempt.zone,
            resume=attempt.resume,
            diagnosis=diagnosis,
            recovery=type(recovery).__name__,
            kept=[stage.value for stage in kept],
        )
        self.job = replace(self.job, attempt=attempt)

    @property
    def _stages(self) -> Recorder:
        return Recorder(self._store.stages, self.job)

    def _provision(self) -> Allocation:
        """What an interrupted try has given back says nothing about what this one gets."""
        self._store.stages.forget(self.job.id, self.job.attempt.number, Stage.RELEASE.value)
        return self._hooks.provision(job=self.job, attempt=self.job.attempt)

    def _judge(self) -> Judge:
        return Judge(self._store, self._hooks, self.job)

    def _recover(self, error: TpuherdError) -> None:
        """Do what the policy decides; raises the error when it gives up."""
        verdict = self._judge().judge(error, self._stages.value(Stage.PROVISION))
        if isinstance(verdict.recovery, GiveUp):
            raise error
        self.job.session.sleep(getattr(verdict.recovery, "delay_s", 0.0))
        if not isinstance(verdict.recovery, Wait):
            self.next_attempt(verdict.recovery, diagnosis_text(verdict.diagnosis))


def holds_nothing(store: Store, job_id: str, attempt: int) -> bool:
    """True if an attempt never asked for slices, or has given them back."""
    asked = store.stages.get(job_id, attempt, Stage.PROVISION.value)
    given_back = store.stages.get(job_id, attempt, Stage.RELEASE.value)
    return asked is None or (given_back is not None and given_back.state is StageState.DONE)
