"""What the emulated cloud answers to its control."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tpuherd_emulator.control.wire import ClockState, LimitState
from tpuherd_emulator.faults.fault import Fault, check
from tpuherd_emulator.faults.limit import CAPACITY, Limit
from tpuherd_emulator.faults.limit import check as check_limit
from tpuherd_emulator.scenarios.model import Scenario

if TYPE_CHECKING:
    from tpuherd_emulator.api.context import Context
    from tpuherd_emulator.faults.limits import Ledger
    from tpuherd_emulator.scenarios.playing import Player


class Answers:
    """One method for each of `tpuherd_emulator.control.wire.METHODS`."""

    def __init__(self, context: Context, player: Player) -> None:
        self._context = context
        self._player = player

    def fault(self, request: Any) -> Any:
        """Let something go wrong."""
        with self._context.scheduler.lock:
            return asdict(self._player.fault(check(Fault(**request))))

    def faults(self, _: Any) -> Any:
        """The faults that wait."""
        return [asdict(fault) for fault in self._context.injector.armed()]

    def clear(self, kind: Any) -> Any:
        """Forget faults."""
        return self._context.injector.clear(kind)

    def limit(self, request: Any) -> Any:
        """Set capacity or quota."""
        with self._context.scheduler.lock:
            self._player.limit(check_limit(Limit(**request)))

    def limits(self, _: Any) -> Any:
        """All limits."""
        with self._context.scheduler.lock:
            capacity = _shown(CAPACITY, self._context.capacity)
            return [asdict(row) for row in (*capacity, *_shown("quota", self._context.quota))]

    def tick(self, seconds: Any) -> Any:
        """Let time pass. Not under the lock: what is due needs it."""
        self._context.scheduler.tick(seconds)
        return self.time(None)

    def speed(self, factor: Any) -> Any:
        """Go on at another speed."""
        self._context.scheduler.set_speed(factor)
        return self.time(None)

    def time(self, _: Any) -> Any:
        """The time."""
        clock = self._context.clock
        return asdict(ClockState(now_s=clock.now(), time=clock.time(), speed=clock.speed))

    def scenario(self, request: Any) -> Any:
        """Begin a scenario."""
        with self._context.scheduler.lock:
            self._player.begin(Scenario.model_validate(request))


def _shown(name: str, ledger: Ledger) -> list[LimitState]:
    return [
        LimitState(
            limit=name,
            place=pool.place,
            generation=pool.generation,
            market=pool.market,
            chips=chips,
            used=ledger.used(pool),
        )
        for pool, chips in ledger.limits.items()
    ]
