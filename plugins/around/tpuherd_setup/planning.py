"""What `plan` says about the scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd import PlanStep
from tpuherd.config.workers import require_there, told
from tpuherd_setup.config import SetupSection

if TYPE_CHECKING:
    from tpuherd.config.spec import JobSpec

OFTEN = {"attempt": "in every attempt", "vm": "once in a VM's life"}


def steps(spec: JobSpec) -> list[PlanStep]:
    """One step for each script.

    Raises:
        ConfigError: a script is for a worker that the slices may not have.
    """
    setup = spec.section(SetupSection)
    for number, script in enumerate(setup.scripts):
        require_there(spec, script.workers, f"setup.scripts[{number}].workers")
    return [
        PlanStep(
            stage="equip_workers",
            where=told(script.workers),
            action=f"{setup.name_of(number)}, {OFTEN[script.once]}: {script.run.strip()}",
        )
        for number, script in enumerate(setup.scripts)
    ]
