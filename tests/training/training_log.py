"""What a process of the training example has said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from herd import Herd

WORKERS = (0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The log of one worker in one attempt."""

    begun_at: int
    """The step that it restored; 0: none."""
    losses: dict[int, str]
    """Every step that it made, and the bits of its loss."""
    saved: tuple[int, ...]
    told_to_end_after: int | None
    weights: str
    """The fingerprint of the final state; empty: it did not come so far."""


def said(cloud: Herd, job: str, attempt: int, worker: int) -> Said:
    text = "\n".join(cloud.log(worker, job, attempt))
    (begun,) = re.findall(r"^(?:restored|begin at) step (\d+)$", text, re.MULTILINE)
    steps = re.findall(r"^step (\d+) of \d+: loss \S+ (\S+)$", text, re.MULTILINE)
    told = re.findall(r"^told to end after step (\d+)$", text, re.MULTILINE)
    weights = re.findall(r"^all weights: (\w+)$", text, re.MULTILINE)
    losses = {int(step): bits for step, bits in steps}
    assert len(losses) == len(steps), "no process makes a step twice"
    return Said(
        begun_at=int(begun),
        losses=losses,
        saved=tuple(int(step) for step in re.findall(r"^saved step (\d+)$", text, re.MULTILINE)),
        told_to_end_after=int(told[0]) if told else None,
        weights="".join(weights),
    )


def newest_step(cloud: Herd, job: str, attempt: int) -> int:
    """The newest step that worker 0 has told of; 0: none."""
    try:
        lines = cloud.log(0, job, attempt)
    except (FileNotFoundError, ValueError):
        return 0
    steps = [int(found[1]) for line in lines if (found := re.match(r"step (\d+) of", line))]
    return max(steps, default=0)
