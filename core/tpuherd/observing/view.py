"""The control plane's view of an allocation, refreshed in the background while a workload runs."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from tpuherd.cloud.zone_listing import tolerate
from tpuherd.model.observation import Presence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tpuherd.model.observation import SliceObservation

log = logging.getLogger(__name__)

PERIOD_S = 2.0
"""Between two looks; one look is one call per zone, shared by the jobs of a process."""
FIRST_S = 1.0
"""Before the first look: importing the cloud's client would delay the start of the workload, and its end."""
STALE_S = 10.0
"""What was seen longer ago says nothing any more."""
LONGEST_LOOK_S = 5.0
"""How long the last look is waited for."""
GONE_STATES = frozenset({"PREEMPTED", "TERMINATED", "STOPPED", "DELETING"})
"""States from which a node's workers do not come back by themselves."""


class ControlPlaneView:
    """Asks again and again in a thread of its own, until it is closed."""

    def __init__(self, look: Callable[[], Sequence[SliceObservation]]) -> None:
        """Begin; `look` is called soon, and may take as long as it likes."""
        self._look = look
        self._closed = threading.Event()
        self._seen: tuple[SliceObservation, ...] = ()
        self._exists = False
        self._seen_at = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="control plane", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop asking; a question that was just asked is waited for, because gRPC aborts if it is cut off."""
        self._closed.set()
        self._thread.join(LONGEST_LOOK_S)

    def gone(self) -> dict[str, str]:
        """The slices that are gone by an explicit answer, and why in words; unknown is not gone."""
        return {piece.node_id: words for piece in self._fresh() if (words := _gone(piece))}

    @property
    def answers(self) -> bool:
        """True if it said something definite lately: then this machine has a network."""
        return any(piece.presence is not Presence.UNKNOWN for piece in self._fresh())

    @property
    def exists(self) -> bool:
        """True if there is a control plane: it has named a state once. Own machines have none."""
        return self._exists

    def _fresh(self) -> tuple[SliceObservation, ...]:
        return self._seen if time.monotonic() - self._seen_at < STALE_S else ()

    def _run(self) -> None:
        tolerate(PERIOD_S / 2)
        self._closed.wait(FIRST_S)
        while not self._closed.is_set():
            try:
                self._seen, self._seen_at = tuple(self._look()), time.monotonic()
            except Exception:
                log.exception("looking at the slices failed; that says nothing about them")
            self._exists = self._exists or any(piece.state for piece in self._seen)
            if any(_has_no_state(piece) for piece in self._seen):
                return  # nobody but the workers themselves can be asked, and they are followed
            self._closed.wait(PERIOD_S)


def _has_no_state(piece: SliceObservation) -> bool:
    return piece.presence is Presence.PRESENT and not piece.state


def _gone(piece: SliceObservation) -> str:
    if piece.presence is Presence.ABSENT:
        return f"{piece.node_id} does not exist any more {piece.detail}".strip()
    if piece.presence is Presence.PRESENT and piece.state in GONE_STATES:
        return f"{piece.node_id} is {piece.state}"
    return ""
