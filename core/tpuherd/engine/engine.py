"""One job's attempts: each stage is recorded before and after it happens, and found again afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd.engine.attempts import attempt_after, current_attempt
from tpuherd.engine.describing import describe_failure
from tpuherd.engine.judging import Judge, diagnosis_text
from tpuherd.engine.recovering import Recovering
from tpuherd.engine.restarting import kept_stages
from tpuherd.engine.stages import Stage
from tpuherd.engine.standing import Standing
from tpuherd.errors import Cancelled, LocalError, TpuherdError, WorkloadError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.hooks import Hooks
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.failure import Recovery
    from tpuherd.model.job import Job
    from tpuherd.model.outcome import CollectedResults, Environment, SyncedCode, WorkloadExit
    from tpuherd.store.store import Store


class Engine(Standing):
    """Drives one job. Every method may be called again: what is done already is only looked up."""

    def __init__(self, store: Store, hooks: Hooks, job: Job) -> None:
        """Keep the parts; nothing happens yet."""
        super().__init__(store, job)
        self._hooks = hooks
        self._recovering = Recovering(self, store, hooks)

    def run_to_end(self) -> None:
        """Run all stages up to the collected results, with recoveries; raises what could not be recovered."""
        while True:
            self._recovering.finish()
            try:
                self.collect()
            except (Cancelled, LocalError):
                raise
            except TpuherdError as error:
                self._recovering.decide(error)
            else:
                return

    def provision(self) -> Allocation:
        """The slices of this attempt."""
        return self._stages.once(Stage.PROVISION, self._provision)

    def equip_workers(self) -> Allocation:
        """The slices, with what has to be around the workload of this attempt."""
        allocation = self.provision()
        if self._hooks.equippers():
            self._stages.once(
                Stage.EQUIP_WORKERS, lambda: self._hooks.equip_workers(job=self.job, allocation=allocation)
            )
        return allocation

    def prepare_env(self) -> Environment:
        """The environment on them."""
        allocation = self.equip_workers()
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
            self._stages.once(Stage.RELEASE, lambda: self._release(allocation))

    def last_diagnosis(self) -> str:
        """What the failure of this attempt's workload means, as JSON for the store."""
        error = WorkloadError(describe_failure(self._stages.value(Stage.RUN_WORKLOAD)))
        return diagnosis_text(Judge(self._store, self._hooks, self.job).diagnose(error, self.allocation))

    def next_attempt(self, recovery: Recovery, diagnosis: str, kept: Sequence[Stage] | None = None) -> None:
        """Begin a new attempt: on the same slices, or after giving them back.

        Args:
            recovery: the decision that led to it.
            diagnosis: what the failure before means, as JSON; empty: there was none.
            kept: the stages that need not happen again; default: those that the recovery keeps.
        """
        kept = kept_stages(recovery) if kept is None else kept
        if Stage.PROVISION not in kept:
            self.release()
        attempt = attempt_after(self.job.attempt, recovery)
        self._store.attempts.begin_next(
            self.job.id,
            attempt.number,
            zone=attempt.zone,
            resume=attempt.resume,
            diagnosis=diagnosis,
            recovery=type(recovery).__name__,
            kept=[stage.value for stage in kept],
        )
        self.job = replace(self.job, attempt=current_attempt(self._store, self.job.id))

    def _provision(self) -> Allocation:
        """What an interrupted try has given back says nothing about what this one gets."""
        self._store.stages.forget(self.job.id, self.job.attempt.number, Stage.RELEASE.value)
        return self._hooks.provision(job=self.job, attempt=self.job.attempt)

    def _release(self, allocation: Allocation | None) -> None:
        """What stays on a worker is no reason to go on paying for it."""
        if allocation is not None:
            for error in self._hooks.leave_workers(job=self.job, allocation=allocation):
                self.job.session.reporter.problem(f"leaving the workers: {error}")
        self._hooks.release(job=self.job, allocation=allocation)
