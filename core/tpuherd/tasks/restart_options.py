"""The options of `run --test-restart`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from tpuherd.config.load import LoadedJob
    from tpuherd.model.finished_work import FinishedWork
    from tpuherd.model.plan import RestartSigns
    from tpuherd.restart_test.plan import RestartTest

HELP = {
    "test_restart": "Kill the workload on purpose, start it again on the same slices with resume, and check "
    "that it has restored.",
    "kill_at": "When it is killed: after 30s, at step=20 in its log, or at log=REGEX.",
    "kill_worker": "On which workers it is killed: all, 0, 0,3, 1-5; default: all, as by a preemption.",
    "restored": "Regular expression of the line with which the second run says that it has restored.",
}
MOST_WORKERS = 1 << 20
"""What the choice of workers is checked against before the slices are there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartOptions:
    """The options as they were given; empty ones were not."""

    wanted: bool
    kill_at: str
    workers: str
    restored: str

    def refuse_with_fleet(self) -> None:
        """Raise `ConfigError` if a restart test is asked for: that takes a single job."""
        if self.wanted:
            raise ConfigError("--test-restart: this file describes a fleet; test it without `fleet:` first")
        _refuse_alone(self)

    def refuse_with_finished(self, found: FinishedWork) -> None:
        """Raise `ConfigError` if a restart test is asked for and nothing is left to restart."""
        if self.wanted:
            raise ConfigError(f"--test-restart: nothing is left to do: {found.summary}")
        _refuse_alone(self)


def restart_test(loaded: LoadedJob, given: RestartOptions) -> RestartTest | None:
    """The restart test that options ask for; `None` if they ask for none.

    Raises:
        ConfigError: an option is wrong or missing; nothing was touched.
    """
    if not given.wanted:
        _refuse_alone(given)
        return None
    from tpuherd.restart_test.moment import compiled, parse_moment
    from tpuherd.restart_test.plan import RestartTest
    from tpuherd.tasks.worker_choice import chosen

    signs = _signs(loaded)
    test = RestartTest(
        kill_at=given.kill_at or (signs.kill_at if signs else "") or "30s",
        workers=given.workers or "all",
        restored=given.restored or (signs.restored if signs else ""),
    )
    if not test.restored:
        raise ConfigError(
            f"--test-restart: workload {loaded.spec.workload.kind} does not say by which line of its log one "
            "sees that it has restored: give --restored 'REGEX', such as --restored 'resumed from step \\d+'"
        )
    parse_moment(test.kill_at)
    compiled(test.restored, "--restored")
    chosen(test.workers, MOST_WORKERS)
    return test


def _refuse_alone(given: RestartOptions) -> None:
    """What is about the test, but without it."""
    about = {"--kill-at": given.kill_at, "--kill-worker": given.workers, "--restored": given.restored}
    for option, value in about.items():
        if value:
            raise ConfigError(f"{option} is about `--test-restart`: give that, too, or leave it out")


def _signs(loaded: LoadedJob) -> RestartSigns | None:
    """What the workload's plugin says."""
    from tpuherd.engine.opening import plan_steps
    from tpuherd.hooks import Hooks
    from tpuherd.tasks.loaded import manager

    steps = plan_steps(Hooks(manager(), loaded.spec), str(loaded.path))
    return next((step.restart for step in steps if step.restart), None)
