"""Doing deeds, and undoing those that do not end by themselves."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from chaotic import processes
from chaotic.kinds import OURS
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from chaotic.controllers import Controllers
    from chaotic.site import Site
    from chaotic.values import Deed

LEASE_S = 30.0
"""Longer than a lease lives."""


class Doer:
    """Does the deeds of one plan."""

    def __init__(self, site: Site, controllers: Controllers, name: str) -> None:
        """Keep the parts."""
        self._site = site
        self._controllers = controllers
        self._name = name
        self._undoing: list[tuple[float, Callable[[], object]]] = []
        self.resume_at = 0.0
        """On the monotonic clock: when a job that nobody drives is resumed."""
        self.cancelled = False

    def do(self, deed: Deed) -> None:
        """Do it; what has to be undone later is remembered."""
        name = deed.kind.replace("-", "_") if deed.kind in OURS else "fault"
        undo = getattr(self, f"_{name}")(deed)
        if undo and deed.lasts_s:
            self._undoing.append((time.monotonic() + deed.lasts_s, undo))

    def undo_due(self, *, everything: bool = False) -> None:
        """Undo what has lasted long enough."""
        now = time.monotonic()
        due = [entry for entry in self._undoing if everything or entry[0] <= now]
        self._undoing = [entry for entry in self._undoing if entry not in due]  # undoing may add to it
        for _, undo in due:
            undo()

    def _fault(self, deed: Deed) -> Any:
        """Of what there is now, or else of what comes next."""
        try:
            self._site.control.fault(deed.kind, **deed.settings)
        except ConfigError:
            self._site.control.fault(deed.kind, count=1, **deed.settings)
        return self._heal if deed.kind != "stuck" else lambda: self._heal_again(deed)

    def _heal(self) -> None:
        with suppress(ConfigError):  # the slice may have gone
            self._site.control.heal()

    def _heal_again(self, deed: Deed) -> None:
        """What is stuck may become so only later: nothing is stuck for longer than this."""
        self._heal()
        self._undoing.append((time.monotonic() + deed.lasts_s, lambda: self._heal_again(deed)))

    def _kill_controller(self, deed: Deed) -> None:
        self._controllers.kill()
        self.resume_at = time.monotonic() + float(deed.settings["pause_s"])

    def _freeze_controller(self, _: Deed) -> Any:
        frozen = self._controllers.signal(signal.SIGSTOP)

        def thaw() -> None:
            for one in frozen:
                one.process.send_signal(signal.SIGCONT)

        return thaw

    def _second_controller(self, _: Deed) -> None:
        if (row := self._site.row(self._name)) is not None:
            self._controllers.start("resume", row.id)

    def _usurper(self, deed: Deed) -> Any:
        thaw = self._freeze_controller(deed)
        self._site.move_clock(LEASE_S)
        self._second_controller(deed)
        return thaw

    def _kill_agent(self, deed: Deed) -> None:
        processes.kill(self._site, int(deed.settings["worker"]), processes.is_agent)

    def _kill_work(self, deed: Deed) -> None:
        number = int(deed.settings["signal"])
        processes.kill(self._site, int(deed.settings["worker"]), processes.is_work, number)

    def _drop_connections(self, deed: Deed) -> None:
        processes.kill(self._site, int(deed.settings["worker"]), processes.is_connection)

    def _full_disk(self, _: Deed) -> Any:
        self._site.disk.fill(one.process.pid for one in self._controllers.alive)
        return lambda: self._site.disk.free(one.process.pid for one in self._controllers.alive)

    def _clock_jump(self, deed: Deed) -> Any:
        """There and back again, as a clock is set wrong and corrected."""
        seconds = float(deed.settings["seconds"])
        self._site.move_clock(seconds)
        return lambda: self._site.move_clock(-seconds)

    def _cloud_clock(self, deed: Deed) -> None:
        self._site.control.tick(float(deed.settings["seconds"]))

    def _cancel(self, _: Deed) -> None:
        if (row := self._site.row(self._name)) is not None:
            self._controllers.start("cancel", row.id)
            self.cancelled = True
