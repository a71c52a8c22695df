"""A table from what happened to what is done: `recovery.policy: rules`.

`rules.rule` is one of tpu_manager's five, with their meanings, and `rules.actions` changes lines of it:

| rule    | preempted | grpc   | locked |
|---------|-----------|--------|--------|
| pre     | reapply   | resume | pass   |
| pass    | pass      | pass   | pass   |
| reapply | reapply   | reapply| pass   |
| rerun   | reapply   | rerun  | pass   |
| resume  | pass      | resume | pass   |

`reapply` gives the slices back and gets new ones, then resumes. `resume` starts the processes again on the
same slices. `rerun` does the same from scratch. `pass` gives up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import ConfigSection, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import AttemptRecord, Diagnosis, Job, Recovery


@hookimpl
def config_section() -> ConfigSection:
    """The `rules` section."""
    from tpuherd_rules.config import RulesSection

    return ConfigSection(name="rules", model=RulesSection, description="What is done after which failure.")


@hookimpl
def recover(job: Job, diagnosis: Diagnosis, history: Sequence[AttemptRecord]) -> Recovery | None:
    """Look the class up in the table, within the budgets of `recovery.budgets`."""
    from tpuherd.recovery.case import Case
    from tpuherd_rules.deciding import decide

    return decide(Case(job=job, diagnosis=diagnosis, history=history, zones=job.spec.tpu.zones))
