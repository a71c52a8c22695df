"""The attempts of a job: the newest by the store, and the one that follows it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd.engine.past import past
from tpuherd.model.failure import MoveZone, RerunFromScratch
from tpuherd.model.job import Attempt
from tpuherd.recovery.quarantine import quarantined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.model.failure import Recovery
    from tpuherd.store.records import AttemptRow
    from tpuherd.store.store import Store


def current_attempt(store: Store, job_id: str) -> Attempt:
    """The newest attempt of a job, with the workers that it had better not get."""
    bad = quarantined(record.diagnosis for record in past(store, job_id))
    return replace(newest_attempt(store.attempts.all(job_id)), quarantined=bad)


def newest_attempt(rows: Sequence[AttemptRow]) -> Attempt:
    """The newest attempt of a job, from its rows."""
    newest = rows[-1]
    since = max(row.number for row in rows if row.number == 1 or not row.resume)
    return Attempt(number=newest.number, zone=newest.zone, resume=newest.resume, since=since)


def attempt_after(attempt: Attempt, recovery: Recovery) -> Attempt:
    """The attempt that follows another one when a recovery is carried out."""
    number, resume = attempt.number + 1, not isinstance(recovery, RerunFromScratch)
    return Attempt(
        number=number,
        zone=recovery.zone if isinstance(recovery, MoveZone) else attempt.zone,
        resume=resume,
        since=attempt.since if resume else number,
    )
