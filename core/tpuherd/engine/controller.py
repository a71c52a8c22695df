"""One process driving one job: lease, signals, and the thread that does the work."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from tpuherd.cloud.client import hang_up
from tpuherd.engine.background import start_background, start_command
from tpuherd.engine.engine import Engine
from tpuherd.engine.holding import holds_nothing
from tpuherd.engine.interrupts import Interrupts, OnInterrupt
from tpuherd.engine.lease_keeper import LeaseKeeper
from tpuherd.engine.leaving import Left
from tpuherd.engine.local_trouble import enduring
from tpuherd.engine.opening import open_hooks, open_job, open_session
from tpuherd.engine.tenure import stop_reason
from tpuherd.errors import StateError
from tpuherd.exit_codes import ExitCode
from tpuherd.store.leases import process_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from pluggy import PluginManager

    from tpuherd.output.reporter import Reporter
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

T = TypeVar("T")


class Controller:
    """Drives one job from this process, as the only one."""

    def __init__(
        self, store: Store, manager: PluginManager, record: JobRecord, reporter: Reporter, policy: OnInterrupt
    ) -> None:
        """Keep the parts; nothing happens yet."""
        self.store = store
        self.record = record
        self.reporter = reporter
        self.hooks = open_hooks(manager, record)
        self.session = open_session(store, self.hooks, record, reporter)
        self._policy = policy
        self._cancelling = False

    def drive(self, work: Callable[[Engine], T], *, goes_on: bool = False) -> T:
        """Do some work on the job while holding its lease.

        Signals are handled in this thread, which has to be the main one. The work happens in another, which
        may be left at any line: what it did is in the store, and the next process goes on from there.

        Args:
            work: what to do with the engine.
            goes_on: on detaching, a background controller finishes the job.

        Returns:
            What the work returned; its exceptions are raised here.

        Raises:
            StateError: another controller drives the job, or has just ended it.
        """
        keeper = LeaseKeeper(self.store, self.record.id, self.session.cancel, self.session.leave)
        keeper.take()
        try:
            self._look_again()
            with Interrupts(self._policy, self._cancel, lambda: self._detach(goes_on=goes_on)):
                return _in_thread(lambda: self._endure(work))
        except Left:
            raise StateError(f"another controller has taken job {self.record.id} over") from None
        finally:
            keeper.give_back()
            self.session.close()

    def work(self, work: Callable[[Engine], T]) -> T:
        """The same in this thread, for a process that holds the lease already and hears signals and wishes.

        Raises:
            Left: `Session.leave` was called.
        """
        try:
            self._look_again()
            return self._endure(work)
        finally:
            self.session.close()

    def already_released(self) -> bool:
        """True if the store says that the job's newest attempt holds nothing."""
        return holds_nothing(self.store, self.record.id, self.store.jobs.get(self.record.id).attempt)

    def leave_cloud(self, engine: Engine) -> None:
        """Tell the cloud that the job holds nothing more."""
        hang_up()
        self.hooks.leave_cloud(cloud=engine.job.cloud, job_id=self.record.id)

    def _look_again(self) -> None:
        """What was true before the lease was ours may be so no more."""
        now = self.store.jobs.get(self.record.id)
        if now.state is not self.record.state:
            raise StateError(f"job {now.id} has {now.state.value} meanwhile: `tpuherd status {now.id}`")
        why = stop_reason(now)
        if why is not None:
            self.session.cancel(why)

    def _engine(self) -> Engine:
        return Engine(self.store, self.hooks, open_job(self.store, self.hooks, self.record, self.session))

    def _endure(self, work: Callable[[Engine], T]) -> T:
        return enduring(self.session, self.store, self.record.id, lambda: work(self._engine()))

    def _cancel(self) -> None:
        """Say so once it is stored: a second interruption may come at any line of this."""
        self._cancelling = True
        self.store.jobs.want(self.record.id, "cancel")
        kept = self.store.jobs.get(self.record.id).keep
        then = "kept" if kept else "given back"
        self.reporter.note(f"cancelling: the workload is stopped, then the slices are {then}")
        self.session.cancel()

    def _hand_over(self) -> None:
        """What goes on with the job gets its lease, so that no supervisor comes in between.

        While it is being cancelled the store may be in the middle of a write of ours, so it is left alone.
        """
        if self._cancelling:
            start_command(self.record, "cancel")
        else:
            self.store.leases.hand_over(self.record.id, process_name(start_background(self.record)))

    def _detach(self, *, goes_on: bool) -> None:
        """Leave this instant; our lease ends with our process."""
        if goes_on:
            self._hand_over()
        self.reporter.note(
            f"detached; follow with `tpuherd logs {self.record.id} --follow`, "
            f"end with `tpuherd cancel {self.record.id}`"
        )
        with suppress(OSError):  # the terminal may be closed
            sys.stdout.flush()
        os._exit(ExitCode.DETACHED)


def _in_thread(work: Callable[[], T]) -> T:
    """Run work in a thread and wait in a way that lets signal handlers run."""
    results: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread, which raises it
            errors.append(error)

    thread = threading.Thread(target=body, name="engine", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.2)
    if errors:
        raise errors[0]
    return results[0]
