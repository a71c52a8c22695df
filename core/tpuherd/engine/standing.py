"""How far the newest attempt of a job is, by the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.engine.recorder import Recorder
from tpuherd.engine.stages import Stage
from tpuherd.store.records import StageState

if TYPE_CHECKING:
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.job import Job
    from tpuherd.model.outcome import WorkloadExit
    from tpuherd.store.store import Store


class Standing:
    """Questions about an attempt; answering them changes nothing."""

    def __init__(self, store: Store, job: Job) -> None:
        """Keep the store, and the job whose newest attempt this is about."""
        self.job = job
        self._store = store

    @property
    def allocation(self) -> Allocation | None:
        """What the attempt got; it may have been given back."""
        held: Allocation | None = self._stages.value(Stage.PROVISION)
        return held

    @property
    def holds_slices(self) -> bool:
        """True if the attempt has its slices, and nobody has begun to give them back."""
        return self.allocation is not None and self._stages.row(Stage.RELEASE) is None

    @property
    def workload_failed(self) -> bool:
        """True if the workload of the attempt has ended in failure."""
        end = self._end
        return end is not None and not end.succeeded

    @property
    def workload_began(self) -> bool:
        """True if the workload was started and has not succeeded: only another attempt can start it again."""
        end = self._end
        return self._stages.row(Stage.RUN_WORKLOAD) is not None and not (end and end.succeeded)

    @property
    def failed_stage(self) -> Stage | None:
        """The stage in which the attempt has failed so far, if any."""
        if self.workload_failed:
            return Stage.RUN_WORKLOAD
        rows = ((stage, self._stages.row(stage)) for stage in Stage if stage is not Stage.RELEASE)
        return next((stage for stage, row in rows if row and row.state is StageState.FAILED), None)

    def workload_started_on(self) -> Allocation | None:
        """The allocation on which the workload of the attempt may run, unless it is being given back."""
        row = self._stages.row(Stage.RUN_WORKLOAD)
        runs = row is not None and row.result is None and self._stages.row(Stage.RELEASE) is None
        return self.allocation if runs else None

    @property
    def _end(self) -> WorkloadExit | None:
        end: WorkloadExit | None = self._stages.value(Stage.RUN_WORKLOAD)
        return end

    @property
    def _stages(self) -> Recorder:
        return Recorder(self._store.stages, self.job)
