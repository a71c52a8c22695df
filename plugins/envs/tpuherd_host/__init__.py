"""The bare host as environment: `job.env_type: host`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import PlanStep, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import Allocation, Environment, Job
    from tpuherd.config.spec import JobSpec


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:  # noqa: ARG001 - there is nothing to choose
    """Say that nothing is installed."""
    return [PlanStep(stage="prepare_env", where="every worker", action="use the host as it is")]


@hookimpl
def prepare_env(job: Job, allocation: Allocation) -> Environment | None:
    """Use what the VM image has, after a look that all workers have the same."""
    from tpuherd_host.looking import look

    return look(job, allocation)
