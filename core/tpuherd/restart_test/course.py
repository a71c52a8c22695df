"""The course of a restart test: run, kill, run again with resume, judge."""

from __future__ import annotations

from signal import SIGKILL
from typing import TYPE_CHECKING

from tpuherd.engine.judging import diagnosis_text
from tpuherd.engine.recorder import recorded
from tpuherd.engine.stages import Stage
from tpuherd.errors import NotRestoredError, WorkloadError
from tpuherd.model.failure import Diagnosis, FailureClass, RestartInPlace
from tpuherd.model.outcome import ExitKind
from tpuherd.restart_test.killer import Killer
from tpuherd.restart_test.moment import compiled
from tpuherd.restart_test.plan import KILLING, VERDICT, newest
from tpuherd.restart_test.verdict import judge

if TYPE_CHECKING:
    from tpuherd.engine.engine import Engine
    from tpuherd.model.outcome import WorkloadExit
    from tpuherd.restart_test.plan import RestartTest
    from tpuherd.store.store import Store

REASON = "killed on purpose by --test-restart"


def run_restart_test(engine: Engine, store: Store, test: RestartTest) -> None:
    """Do what is not done yet of the two attempts; there is never a third.

    Raises:
        NotRestoredError: the second run did not restore, or there was nothing to kill.
        WorkloadError: the workload failed by itself, in either attempt.
        TpuherdError: anything else that fails; nothing is recovered here.
    """
    if engine.job.attempt.number == test.attempt:
        _kill_first(engine, store, test)
    failure = _second(engine)
    directory = engine.job.directory
    first, second = (directory / f"attempt-{test.attempt + more}" for more in (0, 1))
    verdict = judge(compiled(test.restored, "--restored"), first, second)
    engine.job.session.publish(VERDICT, verdict.text)
    if not verdict.restored:
        raise NotRestoredError("\n".join(filter(None, [verdict.text, str(failure or "")])))
    if failure is not None:
        raise failure


def _kill_first(engine: Engine, store: Store, test: RestartTest) -> None:
    """Run the first attempt into its kill, and begin the second on the same slices."""
    allocation = engine.provision()
    engine.prepare_env()
    engine.sync_code()
    with Killer(engine.job, allocation, store, test):
        failure = _run(engine)
    if failure is None:
        raise NotRestoredError(
            f"the workload ended before it was to be killed (--kill-at {test.kill_at}): there was nothing to "
            "restore. Let it run for longer, or kill it earlier"
        )
    end = recorded(store.stages, engine.job.id, test.attempt, Stage.RUN_WORKLOAD)
    if not (newest(store, engine.job.id, KILLING) and _died_of_it(end)):
        raise failure
    diagnosis = Diagnosis(failure=FailureClass.UNKNOWN, evidence=(REASON,), confidence=1.0)
    engine.next_attempt(RestartInPlace(reason=REASON), diagnosis_text(diagnosis))


def _run(engine: Engine) -> WorkloadError | None:
    """Run the workload; its failure is a result here."""
    try:
        engine.run_workload()
    except WorkloadError as error:
        return error
    return None


def _second(engine: Engine) -> WorkloadError | None:
    """Run the second attempt and bring its results home; its failure waits for the verdict."""
    failure = _run(engine)
    if failure is None:
        engine.collect()
    return failure


def _died_of_it(end: WorkloadExit | None) -> bool:
    """True if the worker that ended first was killed."""
    first = end.first_failure if end else None
    return first is not None and first.kind is ExitKind.SIGNALLED and first.code == SIGKILL
