"""From the store and the logs to what is shown."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.model.failure import GiveUp
from tpuherd.monitoring.costs import Costs
from tpuherd.monitoring.last_line import last_line
from tpuherd.monitoring.progress_file import progress_file, read_samples
from tpuherd.monitoring.samples import eta_s, rate_per_s
from tpuherd.monitoring.view import JobView
from tpuherd.recovery.texts import diagnosis_of, recovery_of
from tpuherd.store.records import StageState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pluggy import PluginManager

    from tpuherd.store.records import JobRecord, RecoveryRow
    from tpuherd.store.store import Store

RECENT_S = 3600.0
"""Jobs that ended so lately are shown without being asked for."""


class Watch:
    """Looks at jobs, again and again; it changes nothing."""

    def __init__(self, store: Store, manager: PluginManager) -> None:
        """Keep the parts."""
        self._store = store
        self._costs = Costs(store, manager)

    def view(self, record: JobRecord) -> JobView:
        """One job as it is now."""
        rows = self._store.recoveries.all(record.id)
        view = JobView(
            job=record.id,
            owner=record.owner,
            attempt=record.attempt,
            state=record.state.value,
            ended=record.state.ended,
            driver=self._store.leases.driver(record.id) or "",
            failure=diagnosis_of(rows[-1].diagnosis).failure.value if rows else "",
            cost_usd=self._costs.of(record),
            last_line=last_line(_attempt_directory(record)),
        )
        return _with_progress(self._with_stage(view, record, rows), _attempt_directory(record))

    def _with_stage(self, view: JobView, record: JobRecord, rows: Sequence[RecoveryRow]) -> JobView:
        if record.state.ended:
            return replace(view, stage_since=record.ended_at)
        stages = [row for row in self._store.stages.all(record.id) if row.attempt == record.attempt]
        begun = [row for row in stages if row.state is StageState.STARTED]
        if begun:
            return replace(view, stage=begun[-1].stage, stage_since=begun[-1].started_at)
        if recovery := _pending(rows, record.attempt):
            return replace(view, stage=recovery, stage_since=rows[-1].at)
        since = max((row.ended_at or row.started_at for row in stages), default=record.created_at)
        return replace(view, stage_since=since)


def chosen(records: Sequence[JobRecord], now: float) -> list[JobRecord]:
    """The jobs that are shown unless others are asked for: live ones, then those that ended lately.

    Args:
        records: all jobs, oldest first.
        now: seconds since the epoch.
    """
    recent = [one for one in records if one.state.ended and now - (one.ended_at or 0.0) < RECENT_S]
    return in_order([one for one in records if not one.state.ended] + recent)


def in_order(records: Sequence[JobRecord]) -> list[JobRecord]:
    """Live jobs first, oldest first; then the others, those that ended last first."""
    live = [one for one in records if not one.state.ended]
    over = [one for one in records if one.state.ended]
    return live + sorted(over, key=lambda one: -(one.ended_at or 0.0))


def _pending(rows: Sequence[RecoveryRow], attempt: int) -> str:
    """The recovery of this attempt that was decided and is not done; empty if there is none."""
    if not rows or rows[-1].attempt != attempt or rows[-1].done_at is not None:
        return ""
    recovery = recovery_of(rows[-1].recovery)
    return "" if isinstance(recovery, GiveUp) else type(recovery).__name__


def _with_progress(view: JobView, directory: Path) -> JobView:
    samples = read_samples(progress_file(directory))
    if not samples:
        return view
    last = samples[-1]
    return replace(
        view,
        step=last.step,
        total=last.total,
        checkpoint_step=last.checkpoint_step,
        step_at=last.at,
        rate_per_s=None if view.ended else rate_per_s(samples),
        eta_s=None if view.ended else eta_s(samples, time.time()),
    )


def _attempt_directory(record: JobRecord) -> Path:
    return Path(record.directory) / f"attempt-{record.attempt}"
