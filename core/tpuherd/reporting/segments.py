"""A job's time, cut into pieces in which one thing went on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.model.event import Event
    from tpuherd.reporting.past import JobPast


class Activity(Enum):
    """What went on."""

    PROVISIONING = "provisioning"
    ENVIRONMENT = "environment"
    CODE = "code"
    STARTING = "starting"
    WORKLOAD = "workload"
    COLLECTING = "collecting"
    RELEASING = "releasing"
    WAITING = "waiting"
    """None of the others: between stages, in a pause before a recovery, while nobody drove the job."""
    KEPT = "kept"
    """The job had ended, and its slices were kept."""


BY_STAGE = {
    "provision": Activity.PROVISIONING,
    "equip_workers": Activity.ENVIRONMENT,
    "prepare_env": Activity.ENVIRONMENT,
    "sync_code": Activity.CODE,
    "run_workload": Activity.STARTING,
    "collect": Activity.COLLECTING,
    "release": Activity.RELEASING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One piece; times are seconds since the epoch."""

    began: float
    ended: float
    activity: Activity
    attempt: int
    held: bool
    """Slices were held meanwhile."""
    after: str = ""
    """Class of the failure that made it necessary; empty: none did."""

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.ended - self.began


def segments(past: JobPast) -> list[Segment]:
    """All pieces of a job's time, in order; the time after its end counts only while it keeps slices."""
    sweep = _Sweep(past.created_at)
    for event in past.events:
        sweep.hear(event)
    sweep.go_to(past.until)
    return sweep.done


class _Sweep:
    """Goes through the events once."""

    def __init__(self, began: float) -> None:
        self.done: list[Segment] = []
        self._at = began
        self._activity = Activity.WAITING
        self._attempt = 1
        self._held = False
        self._over = False
        self._after = ""
        self._broken_since: int | None = None
        """Number of the first piece after something has failed that nobody has diagnosed yet."""
        self._running = 0
        """The attempt whose workload runs; 0: none."""

    def go_to(self, at: float) -> None:
        """End the present piece; a clock that went back does not make time count twice."""
        if at <= self._at:
            return
        if not self._over or self._held:
            self.done.append(
                Segment(
                    began=self._at,
                    ended=at,
                    activity=Activity.KEPT if self._over else self._activity,
                    attempt=self._attempt,
                    held=self._held,
                    after="" if self._over else self._after,
                )
            )
        self._at = at

    def hear(self, event: Event) -> None:
        self.go_to(event.at)
        self._attempt = event.attempt
        word = event.text.partition(":")[0]
        if event.kind == "stage.started":
            self._begin(word)
        elif event.kind in {"stage.ended", "stage.failed"}:
            self._end(word, failed=event.kind == "stage.failed")
        elif event.kind == "workload.started":
            self._activity, self._after, self._running = Activity.WORKLOAD, "", event.attempt
        elif event.kind == "workload.ended":
            self._end("run_workload", failed=True)  # what follows says whether it was a success
        elif event.kind == "diagnosis":
            self._diagnosed(word)
        elif event.kind == "job.ended" or word == "GiveUp":
            self._after, self._over = "", event.kind == "job.ended"

    def _begin(self, stage: str) -> None:
        """A controller that takes a running workload over starts the stage again, not the workload.

        Giving back what an ended job kept does not make it live again.
        """
        self._over, self._broken_since = self._over and stage == "release", None
        goes_on = stage == "run_workload" and self._running == self._attempt
        self._activity = Activity.WORKLOAD if goes_on else BY_STAGE.get(stage, Activity.WAITING)

    def _end(self, stage: str, *, failed: bool) -> None:
        self._activity = Activity.WAITING
        self._running = 0 if stage == "run_workload" else self._running
        if failed and self._broken_since is None:
            self._broken_since = len(self.done)
        if stage in {"provision", "release"} and not failed:
            self._held = stage == "provision"

    def _diagnosed(self, failure: str) -> None:
        """What went by since it failed belongs to the failure, too."""
        since = len(self.done) if self._broken_since is None else self._broken_since
        self.done[since:] = [replace(piece, after=failure) for piece in self.done[since:]]
        self._after, self._broken_since = failure, None
