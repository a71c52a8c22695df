"""Watching a fleet to its end, and ending it when its user says so."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tpuherd.engine.interrupts import Interrupts, OnInterrupt
from tpuherd.exit_codes import ExitCode
from tpuherd.members.driving import Caretaker
from tpuherd.store.records import JobState
from tpuherd.store.wishes import CANCEL, PAUSES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tpuherd.output.reporter import Reporter
    from tpuherd.store.records import JobRecord
    from tpuherd.store.store import Store

LOOK_S = 1.0


class Following:
    """Looks at a fleet again and again; the supervisor does the work, this process may go away."""

    def __init__(self, store: Store, fleet: str, reporter: Reporter, policy: OnInterrupt) -> None:
        """Keep the parts.

        Args:
            store: the store.
            fleet: its id.
            reporter: told about interruptions.
            policy: what they mean.
        """
        self._store = store
        self._fleet = fleet
        self._reporter = reporter
        self._policy = policy
        self._caretaker = Caretaker(store)
        self._cancelling = False

    def to_end(self, show: Callable[[Sequence[JobRecord]], None]) -> list[JobRecord]:
        """Show the members once a second until all have ended or are paused; returns them."""
        with Interrupts(self._policy, self._cancel, self._detach):
            members = self._store.jobs.members(self._fleet)
            while not all(_rests(one) for one in members):
                if self._cancelling:
                    want_cancelled(self._store, members)
                self._caretaker.look(members)
                show(members)
                time.sleep(LOOK_S)
                members = self._store.jobs.members(self._fleet)
            return members

    def _cancel(self) -> None:
        """Only note it: the interrupted line may be in the middle of a write."""
        self._cancelling = True
        self._reporter.note("cancelling: all members are stopped, and give their slices back")

    def _detach(self) -> None:
        self._reporter.note(
            f"detached; follow with `tpuherd monitor {self._fleet}`, end with `tpuherd cancel {self._fleet}`"
        )
        with suppress(OSError):  # the terminal may be closed
            sys.stdout.flush()
        os._exit(ExitCode.DETACHED)


def want_cancelled(store: Store, members: Sequence[JobRecord]) -> None:
    """Ask for the end of all members that have not ended."""
    for record in members:
        if not record.state.ended and record.wanted != CANCEL:
            store.jobs.want(record.id, CANCEL)


def worst(members: Sequence[JobRecord]) -> ExitCode:
    """The exit code of a fleet: the highest of its members, or that it is paused."""
    codes = [_code(record) for record in members]
    return max(codes, default=ExitCode.SUCCESS)


def what_came_of(store: Store, members: Sequence[JobRecord]) -> str:
    """What the shared work has come to, by the first member that has seen the end of it; empty: none has."""
    from tpuherd.output.summary import results_of

    found = [results_of(store, record) for record in members]
    return next((results.summary for results in found if results), "")


def _code(record: JobRecord) -> ExitCode:
    return ExitCode.PAUSED if record.state is JobState.PAUSED else ExitCode(record.exit_code or 0)


def _rests(record: JobRecord) -> bool:
    """It has ended, or is paused and nothing else is wanted of it."""
    return record.state.ended or (record.state is JobState.PAUSED and record.wanted in PAUSES)
