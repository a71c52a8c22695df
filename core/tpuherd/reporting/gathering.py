"""From the rows of the store to a job's past."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.engine.chain import hourly_usd, left_by_user
from tpuherd.engine.recorder import recorded
from tpuherd.engine.stages import Stage
from tpuherd.model.event import Event
from tpuherd.monitoring.progress_file import progress_file, read_samples
from tpuherd.monitoring.samples import newest_checkpoint
from tpuherd.recovery.texts import diagnosis_of
from tpuherd.reporting.past import AttemptPast, JobPast

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec
    from tpuherd.model.allocation import Allocation
    from tpuherd.model.outcome import WorkloadExit
    from tpuherd.store.records import AttemptRow, JobRecord
    from tpuherd.store.store import Store


def gather(store: Store, record: JobRecord, spec: JobSpec | None) -> JobPast:
    """All that is known of a job; nothing but the store is asked.

    Args:
        store: the store.
        record: the job.
        spec: its job file, for prices; `None`: they are not known.
    """
    failures, folder = _failures(store, record), Path(record.directory)
    rows = store.attempts.all(record.id)
    return JobPast(
        job=record.id,
        state=record.state.value,
        created_at=record.created_at,
        until=time.time(),
        events=_events(store, record),
        attempts=tuple(
            _attempt(store, row, spec, failures.get(row.number, ""), folder / f"attempt-{row.number}")
            for row in rows
        ),
    )


def _events(store: Store, record: JobRecord) -> tuple[Event, ...]:
    """With the end of the job, also if its controller died before it could tell of it."""
    events = store.events.all(record.id)
    told = [event.at for event in events if event.kind == "job.ended"]
    if record.ended_at is not None and record.ended_at > max(told, default=0.0):
        end = Event(
            job_id=record.id,
            attempt=record.attempt,
            kind="job.ended",
            text=record.state.value,
            at=record.ended_at,
        )
        events = sorted([*events, end], key=lambda event: event.at)
    return tuple(events)


def _failures(store: Store, record: JobRecord) -> dict[int, str]:
    """Number of an attempt to the class of its last failure."""
    texts = {row.number: row.diagnosis for row in store.attempts.all(record.id) if row.diagnosis}
    texts |= {row.attempt: row.diagnosis for row in store.recoveries.all(record.id)}
    return {number: diagnosis_of(text).failure.value for number, text in texts.items()}


def _attempt(store: Store, row: AttemptRow, spec: JobSpec | None, failure: str, folder: Path) -> AttemptPast:
    end: WorkloadExit | None = recorded(store.stages, row.job_id, row.number, Stage.RUN_WORKLOAD)
    got: Allocation | None = recorded(store.stages, row.job_id, row.number, Stage.PROVISION)
    return AttemptPast(
        number=row.number,
        resume=row.resume,
        failure="" if end and end.succeeded else failure,
        left=left_by_user(row),
        succeeded=end is not None and end.succeeded,
        saved_at=_saved_at(folder, end),
        workload_ended_at=_ended_at(end),
        usd_per_h=hourly_usd(spec, got) if spec else None,
    )


def _saved_at(folder: Path, end: WorkloadExit | None) -> float | None:
    """When the newest checkpoint was first heard of.

    The attempt's file knows of it also if the workload's end was not recorded, or another controller took
    over; on another machine there is only what was recorded.
    """
    samples = read_samples(progress_file(folder))
    if samples and samples[-1].checkpoint_step is not None:
        return samples[-1].checkpoint_at
    told = [one.progress for one in (end.sightings if end else ()) if one.progress]
    saved = newest_checkpoint(told)
    return saved and saved[1]


def _ended_at(end: WorkloadExit | None) -> float | None:
    return max((worker.happened_at for worker in end.workers), default=None) if end else None
