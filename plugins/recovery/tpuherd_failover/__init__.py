"""Another zone as soon as the cloud takes slices away or has none: `recovery.policy: failover`.

`failover.zones` names the zones, in the order in which they are tried; by default those of `tpu.zones`. All
other failures are met as `tiered` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import AttemptRecord, Diagnosis, Job, Recovery


@hookimpl
def config_section() -> ConfigSection:
    """The `failover` section."""
    from tpuherd_failover.config import FailoverSection

    return ConfigSection(name="failover", model=FailoverSection, description="Where a job may go instead.")


@hookimpl
def recover(job: Job, diagnosis: Diagnosis, history: Sequence[AttemptRecord]) -> Recovery | None:
    """Move when slices were lost, or when there is no capacity; else climb the usual ladder."""
    from tpuherd.recovery.case import Case, Step
    from tpuherd.recovery.ladder import climb
    from tpuherd.recovery.ladders import USUAL
    from tpuherd.recovery.zones import LOST
    from tpuherd_failover.config import FailoverSection
    from tpuherd_failover.losses import losses_here

    terms = job.spec.section(FailoverSection)
    case = Case(job=job, diagnosis=diagnosis, history=history, zones=terms.zones or job.spec.tpu.zones)
    leaves = case.can_help(Step.MOVE) and losses_here(case) >= terms.after
    step = Step.MOVE if leaves else Step.REPLACE
    return climb(case, USUAL | dict.fromkeys(LOST, (step,)))
