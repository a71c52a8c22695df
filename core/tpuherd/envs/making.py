"""Making an environment on all workers at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tpuherd.envs.failing import require_made
from tpuherd.envs.sameness import same_versions
from tpuherd.remote import quote

if TYPE_CHECKING:
    from tpuherd.envs.recipe import Recipe
    from tpuherd.model.allocation import Allocation, Worker
    from tpuherd.model.job import Job
    from tpuherd.remote import Line

TOLD = ("Resolved", "Prepared", "Installed", "Downloading", "Building", "Pulling", "waiting:")
"""How the lines of installers begin that say how far they are."""

CHECKED = "#preflight"
"""The line of a worker that has passed the preflight of this environment already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An environment that all workers have."""

    versions: dict[str, str] = field(default_factory=dict)
    """What was found in it, the same on all: name to version."""
    checked: bool = False
    """True if all workers have passed its preflight before."""


def make(job: Job, allocation: Allocation, recipe: Recipe) -> Made:
    """Run the recipe on all workers; where it is finished already, that is one round trip.

    Args:
        job: whose section `environment` says what is checked.
        allocation: the workers.
        recipe: what to make.

    Raises:
        PrepareError: it failed on some worker, or the workers ended up with different versions.
    """
    done = job.session.workers(allocation, job.cloud.ssh).run(
        quote(recipe.words(job.spec.environment)),
        stdin=recipe.stdin,
        timeout_s=recipe.timeout_s,
        on_line=lambda worker, line: _tell(job, worker, line),
    )
    require_made(done, recipe.action)
    return Made(
        versions=same_versions(done),
        checked=all(CHECKED in result.stdout.splitlines() for result in done.results),
    )


def _tell(job: Job, worker: Worker, line: Line) -> None:
    """Worker 0 stands for all while they do the same; the list of packages is in the store."""
    text = line.text.strip()
    if worker.index == 0 and line.stream == "stderr" and text.startswith(TOLD):
        job.session.note(f"{worker.name}: {text}")
