"""What a workload says about its own progress, and how long it may say nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.config.detection import DetectionSection


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """How a workload reports progress; by default it does not, and is never taken for hung.

    Whatever this says, a workload may write `{"step": 1, "total": 9, "checkpoint_step": 0}` into
    `$TPUHERD_ATTEMPT_DIR/progress.json`, with `alive`, a number that it changes while it waits for others,
    and other numbers that it counts; a fleet shows their sums.
    """

    step_pattern: str | None = None
    """Regular expression for a line of the log, with one group: the number of the step."""
    checkpoint_pattern: str | None = None
    """The same for the step that was checkpointed."""
    hung_after_s: float | None = None
    """Seconds without a step (without output, where no step was ever reported) after which it counts as
    hung; `None`: never."""


def reports_of(workload: Reports, section: DetectionSection) -> Reports:
    """What counts for a job: its file, and for what that leaves open the workload's own word."""
    return Reports(
        step_pattern=section.step_pattern or workload.step_pattern,
        checkpoint_pattern=section.checkpoint_pattern or workload.checkpoint_pattern,
        hung_after_s=workload.hung_after_s if section.hung_after_s is None else section.hung_after_s,
    )
