"""Carrying recoveries out: what was decided is in the store before anything of it happens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.engine.giving_back import give_back
from tpuherd.engine.judging import Judge
from tpuherd.engine.restarting import kept_stages
from tpuherd.engine.stages import Stage
from tpuherd.errors import Cancelled, LocalError, TpuherdError
from tpuherd.model.failure import CleanAndRestart, GiveUp, RestartInPlace, Wait
from tpuherd.recovery.texts import diagnosis_text, recovery_of, recovery_text

if TYPE_CHECKING:
    from tpuherd.engine.engine import Engine
    from tpuherd.hooks import Hooks
    from tpuherd.model.failure import Diagnosis, Recovery
    from tpuherd.store.records import RecoveryRow
    from tpuherd.store.store import Store


class Recovering:
    """The recoveries of one job. A controller that finds a decision carries it out; it asks for no other."""

    def __init__(self, engine: Engine, store: Store, hooks: Hooks) -> None:
        """Keep the parts; nothing happens yet."""
        self._engine = engine
        self._store = store
        self._hooks = hooks

    def decide(self, error: TpuherdError) -> None:
        """Ask what an error means and what is done about it, and record the answer.

        Raises:
            TpuherdError: the error itself, if the policy gives up.
        """
        if self._pending() is None:
            judge = Judge(self._store, self._hooks, self._engine.job)
            verdict = judge.judge(error, self._engine.allocation)
            self.record(verdict.diagnosis, verdict.recovery)
        row = self._pending()
        if row is not None and isinstance(recovery_of(row.recovery), GiveUp):
            raise error

    def record(self, diagnosis: Diagnosis, recovery: Recovery) -> None:
        """Store a decision about the present attempt; from now on it is what happens next."""
        job = self._engine.job
        self._store.recoveries.decide(
            job.id,
            job.attempt.number,
            at=diagnosis.scene.at or time.time(),
            diagnosis=diagnosis_text(diagnosis),
            recovery=recovery_text(recovery),
        )
        job.session.publish("recovery", f"{type(recovery).__name__}: {recovery.reason}")

    def finish(self) -> None:
        """Carry out what was decided, also by a controller that went away in the middle of it.

        Raises:
            Cancelled: the job is to be stopped.
            ProvisionError: slices could not be given back.
        """
        row = self._pending()
        recovery = None if row is None else recovery_of(row.recovery)
        if row is None or recovery is None or isinstance(recovery, GiveUp):
            return
        if isinstance(recovery, Wait) and not self._engine.workload_began:
            self._sleep(row, recovery)
            self._store.recoveries.done(row)
        elif isinstance(recovery, Wait):
            self._begin(row, RestartInPlace(reason=recovery.reason, delay_s=recovery.delay_s))
        else:
            self._begin(row, recovery)

    def _begin(self, row: RecoveryRow, recovery: Recovery) -> None:
        """Begin the next attempt; slices that are not kept are given back before the pause."""
        kept = kept_stages(recovery) if self._can_stay(recovery) else ()
        if not kept:
            self._give_back()
        self._sleep(row, recovery)
        if kept and isinstance(recovery, CleanAndRestart):
            from tpuherd.engine.repairing import repair  # this and the next: not every command needs them

            repair(self._engine)
        self._engine.next_attempt(recovery, row.diagnosis, kept)

    def _can_stay(self, recovery: Recovery) -> bool:
        """True if the slices are kept; before anything starts on them again, nothing of the old may run."""
        if Stage.PROVISION not in kept_stages(recovery) or not self._engine.holds_slices:
            return False
        from tpuherd.engine.stopping import stop_everywhere

        try:
            stop_everywhere(self._engine)
        except (Cancelled, LocalError):
            raise
        except TpuherdError as error:
            self._engine.job.session.publish("recovery", f"the slices are replaced instead: {error}")
            return False
        return True

    def _give_back(self) -> None:
        give_back(self._engine)
        self._hang_up()

    def _hang_up(self) -> None:
        """Nobody is at the other end of these connections any more."""
        if self._engine.allocation is not None:
            self._engine.job.session.hang_up(self._engine.allocation)

    def _sleep(self, row: RecoveryRow, recovery: Recovery) -> None:
        """Pause from when it was decided; a clock that was set back does not make it longer."""
        delay_s: float = getattr(recovery, "delay_s", 0.0)
        left_s = min(delay_s, row.at + delay_s - time.time())
        if left_s > 0:
            self._engine.job.session.note(f"going on in {left_s:.0f} s")
            self._engine.job.session.sleep(left_s)

    def _pending(self) -> RecoveryRow | None:
        job = self._engine.job
        return self._store.recoveries.pending(job.id, job.attempt.number)
