"""Making an environment on all workers at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tpuherd.envs.clocks import Clocks
from tpuherd.envs.failing import require_made
from tpuherd.envs.sameness import same_versions
from tpuherd.remote import quote

if TYPE_CHECKING:
    from tpuherd.envs.recipe import Recipe
    from tpuherd.model.allocation import Allocation, Worker
    from tpuherd.model.job import Job
    from tpuherd.remote import FanOut, Line

TOLD = ("Resolved", "Prepared", "Installed", "Downloading", "Building", "STEP", "Pulling", "waiting:")
"""How the lines of installers begin that say how far they are."""

CHECKED = "#preflight"
"""The line of a worker that has passed the preflight of this environment already."""


MISSING = "#missing"
"""The line of a worker that was only asked to look, and has no finished environment."""


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
        PrepareError: it failed on some worker, the clock of one is off, or they ended up with different
            versions.
    """
    return _made(_run(job, allocation, recipe, recipe.words(job.spec.environment)))


def find(job: Job, allocation: Allocation, recipe: Recipe) -> Made | None:
    """The environment of a recipe, if it is finished on all workers: one round trip, which makes nothing.

    Raises:
        PrepareError: a worker did not answer, the clock of one is off, or they have different versions.
    """
    done = _run(job, allocation, recipe, recipe.words_to_look(job.spec.environment))
    missing = any(MISSING in result.stdout.splitlines() for result in done.results)
    return None if missing else _made(done)


def _run(job: Job, allocation: Allocation, recipe: Recipe, words: list[str]) -> FanOut:
    """Run one of the recipe's commands; a wrong clock explains other failures, so it is told first."""
    clocks = Clocks()

    def hear(worker: Worker, line: Line) -> None:
        clocks.hear(worker, line.text)
        _tell(job, worker, line)

    remote = job.session.workers(allocation, job.cloud.ssh)
    done = remote.run(quote(words), stdin=recipe.stdin, timeout_s=recipe.timeout_s, on_line=hear)
    clocks.check(job, len(done.results))
    require_made(done, recipe.action)
    return done


def _made(done: FanOut) -> Made:
    checked = all(CHECKED in result.stdout.splitlines() for result in done.results)
    return Made(versions=same_versions(done), checked=checked)


def _tell(job: Job, worker: Worker, line: Line) -> None:
    """Worker 0 stands for all while they do the same; the list of packages is in the store."""
    text = line.text.strip()
    if worker.index == 0 and line.stream == "stderr" and text.startswith(TOLD):
        job.session.note(f"{worker.name}: {text}")
