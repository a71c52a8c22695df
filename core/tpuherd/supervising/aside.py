"""Jobs that could not be driven: they are tried again, ever later."""

from __future__ import annotations

import time
from dataclasses import dataclass

FIRST_S = 5.0
LONGEST_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pause:
    length_s: float
    until: float
    wanted: str


class Aside:
    """The jobs that a supervisor has set aside."""

    def __init__(self) -> None:
        """There are none."""
        self._pauses: dict[str, _Pause] = {}

    def __len__(self) -> int:
        """How many."""
        return len(self._pauses)

    def put(self, job_id: str, wanted: str) -> None:
        """Set a job aside that could not be driven; longer if it is put there again."""
        before = self._pauses.get(job_id)
        length_s = min(2 * before.length_s, LONGEST_S) if before else FIRST_S
        self._pauses[job_id] = _Pause(length_s=length_s, until=time.monotonic() + length_s, wanted=wanted)

    def has(self, job_id: str, wanted: str) -> bool:
        """True while it is not to be tried; another wish of its user's is tried at once."""
        pause = self._pauses.get(job_id)
        return pause is not None and pause.wanted == wanted and time.monotonic() < pause.until

    def forget(self, job_id: str) -> None:
        """It was driven, or has ended."""
        self._pauses.pop(job_id, None)

    def keep(self, job_ids: set[str]) -> None:
        """Forget all but these."""
        for job_id in self._pauses.keys() - job_ids:
            self.forget(job_id)
