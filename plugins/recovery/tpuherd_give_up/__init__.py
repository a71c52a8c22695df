"""The simplest recovery policy: `recovery.policy: give_up`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import AttemptRecord, Diagnosis, Job, Recovery


@hookimpl
def recover(job: Job, diagnosis: Diagnosis, history: Sequence[AttemptRecord]) -> Recovery | None:  # noqa: ARG001 - it never looks back
    """Give up after the first failure, whatever it was."""
    from tpuherd import GiveUp

    return GiveUp(reason=f"the policy gives up after a failure of class {diagnosis.failure.value}")
