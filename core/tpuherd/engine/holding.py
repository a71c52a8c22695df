"""Whether a job holds slices, by what the store says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.engine.stages import Stage
from tpuherd.store.records import StageState

if TYPE_CHECKING:
    from tpuherd.store.store import Store


def holds_nothing(store: Store, job_id: str, attempt: int) -> bool:
    """True if an attempt never asked for slices, or has given them back."""
    asked = store.stages.get(job_id, attempt, Stage.PROVISION.value)
    given_back = store.stages.get(job_id, attempt, Stage.RELEASE.value)
    return asked is None or (given_back is not None and given_back.state is StageState.DONE)
