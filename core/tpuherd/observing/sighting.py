"""Gathering what is heard of one worker, frame by frame."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from tpuherd.model.sighting import Progress, WorkerSighting

if TYPE_CHECKING:
    from tpuherd.agent.answers import Beat, DeviceHolder, Status
    from tpuherd.observing.reporting import Reports

KNOWN = ("step", "total", "checkpoint_step", "alive")
"""Keys of a progress file with a meaning; the others are counts."""


class Sighting:
    """One worker; the follower's thread writes, any thread reads `value`."""

    def __init__(self, worker: int, attempt: str, reports: Reports) -> None:
        """Begin with nothing.

        Args:
            worker: its index.
            attempt: the attempt's id: its own processes are no strangers on the devices.
            reports: how lines of the log tell of steps.
        """
        self.value = WorkerSighting(worker=worker)
        self._attempt = attempt
        self._reports = reports
        self._ahead: float | None = None

    def heard(self) -> None:
        """There is a sign of life."""
        self.value = replace(self.value, heard_at=time.time())

    def beat(self, beat: Beat) -> None:
        """The largest difference is nearest to the truth: a beat never arrives before it was sent."""
        ahead = beat.at - time.time()
        self._ahead = ahead if self._ahead is None else max(self._ahead, ahead)
        self.value = replace(self.value, clock_ahead_s=self._ahead)

    def printed(self) -> None:
        """Bytes of the log have come."""
        self.value = replace(self.value, printed_at=time.time())

    def line(self, text: str) -> None:
        """A line of the log may tell of a step, or of a checkpoint."""
        step, checkpoint = (
            _number(pattern, text)
            for pattern in (self._reports.step_pattern, self._reports.checkpoint_pattern)
        )
        if step is not None or checkpoint is not None:
            self._report(step, None, checkpoint)

    def status(self, status: Status) -> None:
        """What the agent says."""
        notice_at = status.preemption_notice_at
        if status.progress is not None:
            said = status.progress
            self._report(said.get("step"), said.get("total"), said.get("checkpoint_step"))
            self._note(said.get("alive"), {key: said[key] for key in said if key not in KNOWN})
        self.value = replace(
            self.value,
            preemption_notice_at=None if notice_at is None else notice_at - (self._ahead or 0.0),
            maintenance=status.maintenance,
            device_holders=tuple(
                _words(one) for one in status.device_holders if one.attempt != self._attempt
            ),
            oom_kills=status.oom_kills,
        )

    def _note(self, alive: int | None, counts: dict[str, int]) -> None:
        old = self._progress
        alive_at = time.time() if alive != old.alive else old.alive_at
        self.value = replace(self.value, progress=replace(old, alive=alive, alive_at=alive_at, counts=counts))

    @property
    def _progress(self) -> Progress:
        return self.value.progress or Progress()

    def _report(self, step: int | None, total: int | None, checkpoint: int | None) -> None:
        """A value that stays the same keeps the time at which it came."""
        old, now = self._progress, time.time()
        new = replace(
            old,
            step=old.step if step is None else step,
            total=old.total if total is None else total,
            at=now if step is not None and step != old.step else old.at,
            checkpoint_step=old.checkpoint_step if checkpoint is None else checkpoint,
            checkpoint_at=now
            if checkpoint is not None and checkpoint != old.checkpoint_step
            else old.checkpoint_at,
        )
        self.value = replace(self.value, progress=new)


def _number(pattern: str | None, text: str) -> int | None:
    found = re.search(pattern, text) if pattern else None
    digits = found[1].replace(",", "").replace("_", "") if found and found[1] else ""
    return int(digits) if digits.isdecimal() else None


def _words(holder: DeviceHolder) -> str:
    whose = f" of attempt {holder.attempt}" if holder.attempt else ""
    return f"process {holder.pid} ({holder.command}){whose}: {', '.join(holder.devices)}"
