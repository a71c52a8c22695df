"""Looking at what the hosts have."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tpuherd import Environment
from tpuherd.envs import Recipe, environment_key, make, preflight

if TYPE_CHECKING:
    from tpuherd import Allocation, Job

LOOK_S = 60.0


def look(job: Job, allocation: Allocation) -> Environment:
    """One round trip: Python and the distributions of every worker.

    Raises:
        PrepareError: a worker cannot be reached, two workers differ, or the preflight failed.
    """
    key = f"host-{environment_key(allocation.incarnation)}"
    recipe = Recipe(
        action="looking at the hosts",
        folder=f"hosts/{key}",
        key=key,
        script=files("tpuherd_host").joinpath("look.sh").read_text(),
        timeout_s=LOOK_S,
    )
    made = make(job, allocation, recipe)
    environment = Environment(kind="host", key=key, versions=made.versions)
    preflight(job, allocation, environment, made)
    return environment
