"""One row in the store before a stage happens and after it did: that is what makes it happen once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from tpuherd.engine.describing import describe, went_well
from tpuherd.engine.leaving import Left
from tpuherd.engine.local_trouble import raise_if_local
from tpuherd.engine.stages import decode, encode
from tpuherd.errors import PluginError
from tpuherd.store.records import StageState

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.engine.stages import Stage
    from tpuherd.model.job import Job
    from tpuherd.store.records import StageRecord
    from tpuherd.store.stages import StageStore

T = TypeVar("T")


class Recorder:
    """The stages of one attempt."""

    def __init__(self, stages: StageStore, job: Job) -> None:
        """Keep the store, and the job whose newest attempt this is about."""
        self._stages = stages
        self._job = job

    def once(self, stage: Stage, work: Callable[[], T]) -> T:
        """Do a stage's work unless it was done: then give its recorded value.

        A stage that was interrupted, or that failed, is done again: its hook may be called again.
        """
        row = self.row(stage)
        if row is not None and row.state is StageState.DONE and row.result is not None:
            return cast(T, decode(stage, row.result))
        self._job.session.checkpoint()
        return self._do(stage, work)

    def row(self, stage: Stage) -> StageRecord | None:
        """The stage's row, if it was ever started."""
        return self._stages.get(self._job.id, self._job.attempt.number, stage.value)

    def value(self, stage: Stage) -> Any:
        """The stage's value if it is done, else `None`."""
        return recorded(self._stages, self._job.id, self._job.attempt.number, stage)

    def _do(self, stage: Stage, work: Callable[[], T]) -> T:
        key = (self._job.id, self._job.attempt.number, stage.value)
        self._stages.start(*key)
        self._job.session.publish("stage.started", stage.value)
        try:
            value = work()
            text = _encoded(stage, value)
        except Left:
            raise
        except BaseException as error:
            raise_if_local(error)
            self._stages.fail(*key, error=str(error) or type(error).__name__)
            self._job.session.publish("stage.failed", f"{stage.value}: {error}")
            raise
        self._stages.finish(*key, result=text)
        kind = "stage.ended" if went_well(stage, value) else "stage.failed"
        self._job.session.publish(kind, f"{stage.value}: {describe(stage, value)}")
        return value


def recorded(stages: StageStore, job_id: str, attempt: int, stage: Stage) -> Any:
    """What a stage of an attempt gave, by the store; `None` if it is not done."""
    row = stages.get(job_id, attempt, stage.value)
    return decode(stage, row.result) if row and row.result else None


def _encoded(stage: Stage, value: object) -> str:
    try:
        return encode(stage, value)
    except ValueError as error:
        raise PluginError(f"the answer to hook '{stage.value}' is not of its type: {error}") from error
