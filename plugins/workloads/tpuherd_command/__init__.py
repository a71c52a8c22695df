"""A shell block as workload: `workload.kind: command`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import (
    ConfigSection,
    Launch,
    PlanStep,
    hookimpl,
    launch,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tpuherd import (
        Allocation,
        Environment,
        Job,
        SyncedCode,
        WorkloadExit,
    )
    from tpuherd.config.spec import JobSpec


@hookimpl
def config_section() -> ConfigSection:
    """The `command` section."""
    from tpuherd_command.config import CommandSection

    return ConfigSection(name="command", model=CommandSection, description="A shell block that workers run.")


@hookimpl
def plan(spec: JobSpec) -> Sequence[PlanStep]:
    """Say what runs where; a worker that the slices, whichever come, may not have is refused."""
    from tpuherd.config.workers import require_there, told
    from tpuherd_command.config import CommandSection

    command = spec.section(CommandSection)
    require_there(spec, command.workers, "command.workers")
    where = told(command.workers)
    return [PlanStep(stage="run_workload", where=where, action=f"bash: {command.cmd.strip()}")]


@hookimpl
def run_workload(
    job: Job, allocation: Allocation, environment: Environment, code: SyncedCode
) -> WorkloadExit | None:
    """Run the block under the agents of the chosen workers."""
    from tpuherd_command.config import CommandSection

    command = job.spec.section(CommandSection)
    return launch(job, allocation, environment, code, Launch(script=command.cmd, workers=command.indices))
