"""Running the scripts on their workers."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd.around import do, until_cancelled
from tpuherd.config.workers import indices
from tpuherd.engine.variables import process_variables
from tpuherd.envs import Recipe, environment_key
from tpuherd_setup.config import SetupSection
from tpuherd_setup.logs import Logs

if TYPE_CHECKING:
    from tpuherd import Allocation, Job
    from tpuherd_setup.config import Script

MARGIN_S = 60.0
"""How much longer the connection waits than the script may run: also for another controller's run of it."""


def run_scripts(job: Job, allocation: Allocation) -> None:
    """Run all scripts in their order; a worker on which one has run already says so, in one round trip.

    Raises:
        PrepareError: one failed on some worker, or took too long; the message has the end of its output.
        Cancelled: the job was cancelled; the script was ended on its workers.
    """
    setup = job.spec.section(SetupSection)
    for number, script in enumerate(setup.scripts):
        job.session.checkpoint()
        recipe = _recipe(job, allocation, script, setup.name_of(number))
        until_cancelled(job, allocation, partial(_run, job, allocation, script, recipe))


def _run(job: Job, allocation: Allocation, script: Script, recipe: Recipe, mark: dict[str, str]) -> None:
    with Logs(job) as logs:
        do(
            job,
            allocation,
            recipe,
            workers=indices(script.workers),
            variables=lambda worker: {**process_variables(job, allocation, worker), **mark},
            on_line=logs.take,
        )


def _recipe(job: Job, allocation: Allocation, script: Script, name: str) -> Recipe:
    life = job.attempt_id if script.once == "attempt" else ""
    key = environment_key(script.run, name, allocation.incarnation, life)
    return Recipe(
        action=f"setup: {name}",
        folder=f"setup/{key}",
        key=key,
        script=files("tpuherd_setup").joinpath("run.sh").read_text(),
        arguments=(name, f"{script.timeout_s:g}"),
        stdin=script.run.encode(),
        timeout_s=script.timeout_s + MARGIN_S,
    )
