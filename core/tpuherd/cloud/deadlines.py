"""How long each phase of provisioning may take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tpuherd.cloud.classification import STOCKOUT, UNKNOWN
from tpuherd.cloud.refusals import CloudRefused
from tpuherd.cloud.supply import Phase
from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tpuherd.config.tpu import TpuSection

WAITS_FOR = {
    Phase.ACCEPTED: "the API has not shown it",
    Phase.QUEUE: "there was no capacity for it",
    Phase.ACTIVE: "the API has not made it ready",
    Phase.REACHABLE: "not all of its workers answered",
}
"""What did not happen in a phase."""


class Overall:
    """The deadline of the whole, `tpu.provision_timeout_s`."""

    def __init__(self, timeout_s: float) -> None:
        """Start the clock."""
        self._began = time.monotonic()
        self._timeout_s = timeout_s

    @property
    def left_s(self) -> float:
        """What is left of it, in seconds; negative once it has passed."""
        return self._began + self._timeout_s - time.monotonic()

    def check(self, what: str, state: str = "") -> None:
        """Go on as long as there is time.

        Raises:
            ProvisionError: there is none left.
        """
        if self.left_s < 0:
            told = f"; its last state was {state}" if state else ""
            raise ProvisionError(
                f"{what} took longer than {self._timeout_s:g} s (`tpu.provision_timeout_s`){told}"
            )


class Watch:
    """Follows one request through its phases."""

    def __init__(self, tpu: TpuSection, what: str, overall: Overall) -> None:
        """Begin with the phase `accepted`."""
        self._tpu = tpu
        self._what = what
        self._overall = overall
        self._phase = Phase.ACCEPTED
        self._began = time.monotonic()

    @property
    def waited_s(self) -> float:
        """For how long it has been in its phase."""
        return time.monotonic() - self._began

    def enter(self, phase: Phase, state: str, why: Callable[[], str] = lambda: "") -> None:
        """Say which phase it is in.

        Args:
            phase: this one.
            state: the state that was seen.
            why: tells what is known about the reason that it has taken too long.

        Raises:
            CloudRefused: the phase has taken too long.
            ProvisionError: the whole has taken too long.
        """
        self._overall.check(self._what, state)
        if phase is not self._phase:
            self._phase, self._began = phase, time.monotonic()
        limit_s: float | None = getattr(self._tpu, phase.setting)
        if limit_s is not None and self.waited_s > limit_s:
            self._give_up(limit_s, state, why() if phase is Phase.REACHABLE else "")

    def _give_up(self, limit_s: float, state: str, why: str) -> None:
        text = (
            f"{self._what}: {WAITS_FOR[self._phase]} within {limit_s:g} s (`tpu.{self._phase.setting}`); "
            f"its last state was {state or 'not shown'}"
        )
        meaning = STOCKOUT if self._phase is Phase.QUEUE else UNKNOWN
        raise CloudRefused(f"{text}\n{why}" if why else text, meaning)
