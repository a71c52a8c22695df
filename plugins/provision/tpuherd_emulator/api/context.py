"""What the parts of the API share."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from tpuherd_emulator.api.operations import Operations
    from tpuherd_emulator.options import EmulatorOptions
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
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    """Unique ids, one per creation."""

    @property
    def project(self) -> str:
        """The only project that there is."""
        return self.options.project

    def when_done(self, future: Future[None], callback: Callable[[BaseException | None], None]) -> None:
        """Call back under the lock, with the error or None, when work on workers has ended."""
        future.add_done_callback(lambda done: self.scheduler.after(0, lambda: callback(done.exception())))
