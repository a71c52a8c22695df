"""The cheapest action that can help first, escalating when it did not: `recovery.policy: tiered`.

A failure that comes again before the work came further is met one step higher. Slices that are gone are
replaced at once; nothing is restarted on a worker that was to blame twice; a zone that gives short-lived
slices is avoided for a while. Errors of the program, and running out of memory, are not tried again unless
`recovery.budgets` says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import AttemptRecord, Diagnosis, Job, Recovery


@hookimpl
def recover(job: Job, diagnosis: Diagnosis, history: Sequence[AttemptRecord]) -> Recovery | None:
    """Climb the ladder of the failure's class."""
    from tpuherd.recovery.case import Case
    from tpuherd.recovery.ladder import climb
    from tpuherd.recovery.ladders import USUAL

    case = Case(job=job, diagnosis=diagnosis, history=history, zones=job.spec.tpu.zones)
    return climb(case, USUAL)
