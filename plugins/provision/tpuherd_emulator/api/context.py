"""What the parts of the API share."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tpuherd_emulator.api.places import Places
from tpuherd_emulator.faults.injector import Injector
from tpuherd_emulator.faults.limits import Ledger
from tpuherd_emulator.options import bounds

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from tpuherd_emulator.api.operations import Operations
    from tpuherd_emulator.clock import Clock
    from tpuherd_emulator.options import EmulatorOptions, Span
    from tpuherd_emulator.scheduler import Scheduler
    from tpuherd_emulator.workers.fleet import Fleet


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The cloud's clock, workers, operations and options; everything changes under `scheduler.lock`."""

    options: EmulatorOptions
    scheduler: Scheduler
    fleet: Fleet
    operations: Operations
    changed: Callable[[], None]
    """Called after every change that others may want to know of."""
    public_key: str
    """The cloud's own key: it logs in to every worker."""
    places: Places = field(default_factory=Places)
    """Its zones."""
    injector: Injector = field(default_factory=Injector)
    """What is to go wrong."""
    capacity: Ledger = field(default_factory=Ledger)
    """Chips that there are; a preempted or stopped node holds none."""
    quota: Ledger = field(default_factory=Ledger)
    """Chips that the project may have; every resource holds its own until it is deleted."""
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    """Unique ids, one per creation."""

    @property
    def project(self) -> str:
        """The only project that there is."""
        return self.options.project

    @property
    def clock(self) -> Clock:
        """The emulated time."""
        return self.scheduler.clock

    def draw_s(self, span: Span) -> float:
        """A time span of the options, in seconds."""
        least_s, most_s = bounds(span)
        return least_s if least_s == most_s else self.injector.delay_s(least_s, most_s)

    def when_done(self, future: Future[None], callback: Callable[[BaseException | None], None]) -> None:
        """Call back under the lock, with the error or None, when work on workers has ended."""
        self.scheduler.when_done(future, callback)
