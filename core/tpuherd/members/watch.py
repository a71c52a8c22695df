"""From the store and the folders of members to what is shown of a fleet; nobody is asked for it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.engine.recorder import recorded
from tpuherd.engine.stages import Stage
from tpuherd.members.view import RATED, FleetView, MemberView
from tpuherd.monitoring.heard_file import heard_file, read_heard
from tpuherd.monitoring.progress_file import progress_file, read_samples
from tpuherd.monitoring.samples import count_rate_per_s
from tpuherd.monitoring.view import JobView
from tpuherd.monitoring.watch import Watch
from tpuherd.recovery.texts import diagnosis_of
from tpuherd.store.wishes import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pluggy import PluginManager

    from tpuherd.model.allocation import Allocation
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

FRESH_S = 1.0
"""A member is looked at so seldom."""


class MemberWatch(Watch):
    """Looks at members."""

    def __init__(self, store: Store, manager: PluginManager) -> None:
        """Keep the parts."""
        super().__init__(store, manager)
        self._members = store
        self._last: dict[str, tuple[float, MemberView]] = {}

    def fleet(self, records: Iterable[JobRecord]) -> FleetView:
        """All members of a fleet, by their numbers."""
        known = sorted(records, key=lambda record: record.id)
        name = known[0].fleet or "" if known else ""
        return FleetView(fleet=name, at=time.time(), members=tuple(self.view(record) for record in known))

    def view(self, record: JobRecord) -> MemberView:
        """One member as it is now, or has just been."""
        at, last = self._last.get(record.id, (float("-inf"), None))
        if last is None or time.monotonic() - at > FRESH_S:
            last = self._look(record)
            self._last[record.id] = (time.monotonic(), last)
        return last

    def _look(self, record: JobRecord) -> MemberView:
        job = super().view(record)
        values = {field.name: getattr(job, field.name) for field in fields(JobView)}
        if not job.stage and not record.state.ended and record.wanted in ENDINGS:
            values["stage"] = "ending"
        folder = Path(record.directory) / f"attempt-{record.attempt}"
        samples = read_samples(progress_file(folder))
        return MemberView(
            **values,
            zone=self._zone(record),
            heard_at=read_heard(heard_file(folder)),
            counts=counted(Path(record.directory)),
            count_rate_per_s=None if record.state.ended else count_rate_per_s(samples, RATED),
            recovering=not record.state.ended and self._recovers(record),
            error=self._error(record),
        )

    def _zone(self, record: JobRecord) -> str:
        held: Allocation | None = recorded(self._members.stages, record.id, record.attempt, Stage.PROVISION)
        if held is not None:
            return held.slices[0].zone
        return self._members.attempts.all(record.id)[-1].zone or _asked(record)

    def _error(self, record: JobRecord) -> str:
        """Why it failed, cannot be driven, or is recovering from; an error that is overcome is none."""
        if record.state.value == "failed" or record.problem:
            return (record.problem or record.message).partition("\n")[0]
        rows = self._members.recoveries.all(record.id)
        if record.state.ended or not rows or self._runs(record):
            return ""
        found = diagnosis_of(rows[-1].diagnosis)
        return f"{found.failure.value}: {'; '.join(found.evidence)}".partition("\n")[0]

    def _recovers(self, record: JobRecord) -> bool:
        return self._members.recoveries.pending(record.id, record.attempt) is not None

    def _runs(self, record: JobRecord) -> bool:
        return self._members.stages.get(record.id, record.attempt, Stage.RUN_WORKLOAD.value) is not None


def counted(directory: Path) -> dict[str, int]:
    """What all attempts of a job have counted, by what their controllers have heard."""
    total: Counter[str] = Counter()
    for folder in sorted(directory.glob("attempt-*")):
        samples = read_samples(progress_file(folder))
        total.update(samples[-1].counts if samples else {})
    return dict(total)


def _asked(record: JobRecord) -> str:
    """The zone that a member asks first, by its overrides."""
    zones = [text for text in record.overrides if text.startswith("tpu.zones=[")]
    return zones[-1].removeprefix("tpu.zones=[").rstrip("]").partition(",")[0] if zones else ""
