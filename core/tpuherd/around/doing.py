"""Doing something on chosen workers at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.envs.clocks import MARK
from tpuherd.envs.failing import require_made
from tpuherd.remote import FanOut, Outcome, quote, with_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tpuherd.envs.recipe import Recipe
    from tpuherd.model.allocation import Allocation, Worker
    from tpuherd.model.job import Job
    from tpuherd.remote import Line

LEAVE_S = 15.0
"""How long workers are waited for that are given back anyway."""


def no_variables(_worker: Worker) -> dict[str, str]:
    """What most scripts need of the job's variables."""
    return {}


def do(
    job: Job,
    allocation: Allocation,
    recipe: Recipe,
    *,
    workers: Sequence[int] | None = None,
    variables: Callable[[Worker], Mapping[str, str]] = no_variables,
    on_line: Callable[[Worker, Line], None] | None = None,
) -> FanOut:
    """Run a recipe's script on workers, in one round trip; it may use all functions of `envs/worker.sh`.

    Args:
        job: the job.
        allocation: its workers.
        recipe: what to do; `folder` is where the script keeps what it has to remember.
        workers: indices; `None`: all.
        variables: what the script finds in its environment on a worker; may be secret.
        on_line: told every line of output as it comes.

    Raises:
        PrepareError: it failed on some worker.
    """
    done = _run(job, allocation, recipe, workers, variables, _without_time(on_line) if on_line else None)
    require_made(done, recipe.action)
    return done


def leave(job: Job, allocation: Allocation, recipe: Recipe) -> None:
    """As `do`, on the workers that still answer; one that cannot be reached has nothing to leave to anybody.

    Raises:
        PrepareError: it failed on a worker that was reached.
    """
    done = _run(job, allocation, recipe, None, no_variables, None)
    reached = tuple(one for one in done.results if one.outcome is not Outcome.UNREACHABLE)
    require_made(FanOut(results=reached), recipe.action)


def _without_time(on_line: Callable[[Worker, Line], None]) -> Callable[[Worker, Line], None]:
    """The first line of a recipe is for those who compare clocks."""

    def hear(worker: Worker, line: Line) -> None:
        if not line.text.startswith(MARK):
            on_line(worker, line)

    return hear


def _run(
    job: Job,
    allocation: Allocation,
    recipe: Recipe,
    workers: Sequence[int] | None,
    variables: Callable[[Worker], Mapping[str, str]],
    on_line: Callable[[Worker, Line], None] | None,
) -> FanOut:
    line = quote(recipe.words(job.spec.environment))
    commands = {
        worker.index: with_variables(line, variables(worker), recipe.stdin)
        for worker in allocation.workers
        if workers is None or worker.index in workers
    }
    remote = job.session.workers(allocation, job.cloud.ssh)
    return remote.run_each(commands, timeout_s=recipe.timeout_s, on_line=on_line)
