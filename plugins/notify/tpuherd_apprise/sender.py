"""The thread that sends: a job never waits for a place that is slow, and never hears of its errors."""

from __future__ import annotations

import atexit
import logging
import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd_apprise.places import open_place, send

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.config.secrets import SecretRef
    from tpuherd_apprise.message import Message

log = logging.getLogger(__name__)

MOST_WAITING = 1000
"""So many may wait; a process with more has places that do not answer, and drops the oldest."""
PATIENCE_S = 10.0
"""How long the process waits at its end for what is not sent yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A message to one place."""

    key: str
    """Dotted key of the place in the job file."""
    ref: SecretRef
    base_directory: Path
    message: Message


class Sender:
    """Sends what it is given, in order, in a thread of its own."""

    def __init__(self) -> None:
        """Nothing runs before the first message."""
        self._letters: deque[Letter] = deque(maxlen=MOST_WAITING)
        self._changed = threading.Condition()
        self._busy = False
        self._thread: threading.Thread | None = None
        self._failing: set[tuple[str, Path]] = set()

    def put(self, letter: Letter) -> None:
        """Have a message sent soon; returns at once."""
        with self._changed:
            self._letters.append(letter)
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="notify", daemon=True)
                self._thread.start()
                atexit.register(self.finish)

    def finish(self, patience_s: float = PATIENCE_S) -> bool:
        """Wait until all is sent; false if that took too long, which is said."""
        with self._changed:
            done = self._changed.wait_for(lambda: not (self._letters or self._busy), patience_s)
        if not done:
            log.warning("notify: %d messages were not sent: no answer", len(self._letters) + 1)
        return done

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: bool(self._letters))
                letter, self._busy = self._letters.popleft(), True
            self._deliver(letter)

    def _deliver(self, letter: Letter) -> None:
        """Whatever a place does is no trouble of the job; it is said once until it works again."""
        try:
            sent = send(open_place(letter.ref, letter.base_directory, letter.key), letter.message)
            why = "" if sent else f"{letter.key}: the message was not taken"
        except Exception as error:  # noqa: BLE001 - see above
            why = str(error) if str(error).startswith(letter.key) else f"{letter.key}: {type(error).__name__}"
        place = (letter.key, letter.base_directory)
        if why and place not in self._failing:
            log.warning("notify: %s; later failures are not told", why)
        self._failing = self._failing | {place} if why else self._failing - {place}
