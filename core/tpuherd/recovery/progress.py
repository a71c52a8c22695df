"""Which earlier failures still count: those since the work came further last."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd.model.failure import AttemptRecord, Diagnosis


def since_progress(
    history: Sequence[AttemptRecord], diagnosis: Diagnosis, stable_after_s: float
) -> tuple[AttemptRecord, ...]:
    """The failures since a checkpoint advanced last, oldest first; without progress these are all.

    Args:
        history: earlier failures, oldest first.
        diagnosis: what the present failure means.
        stable_after_s: how long a workload that tells of no checkpoint has to run to count as progress.
    """
    counted: list[AttemptRecord] = []
    newer = diagnosis
    for record in reversed(history):
        if came_further(record.diagnosis, newer, stable_after_s):
            break
        counted.insert(0, record)
        newer = record.diagnosis
    return tuple(counted)


def came_further(before: Diagnosis, after: Diagnosis, stable_after_s: float) -> bool:
    """True if the work was further at the second failure than at the first."""
    if after.checkpoint_step is not None:
        return before.checkpoint_step is None or after.checkpoint_step > before.checkpoint_step
    ran_s = after.scene.ran_s
    return before.checkpoint_step is None and ran_s is not None and ran_s >= stable_after_s
