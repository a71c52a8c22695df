"""When a workload whose processes live counts as hung."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.model.sighting import WorkerSighting


def hung(sightings: Sequence[WorkerSighting], now: float, hung_after_s: float | None) -> str:
    """Why a workload counts as hung, in words; empty: it does not.

    Steps count if any worker has ever reported one, else what is printed; who says to be alive while it waits
    for others is as good as one with a new step. The newest sign of any worker
    counts, because often only one of them prints. A workload that never showed anything is never hung.

    Args:
        sightings: of the workers on which it runs still.
        now: seconds since the epoch, by the controller's clock.
        hung_after_s: how long nothing may happen; `None`: for ever.
    """
    told = [s.progress for s in sightings if s.progress]
    steps = [at for one in told if one.at is not None for at in (one.at, one.alive_at) if at is not None]
    prints = [s.printed_at for s in sightings if s.printed_at is not None]
    signs, what = (steps, "step") if steps else (prints, "output")
    if hung_after_s is None or not signs:
        return ""
    age_s = now - max(signs)
    return f"no {what} for {age_s:.0f} s, though the processes live" if age_s > hung_after_s else ""
