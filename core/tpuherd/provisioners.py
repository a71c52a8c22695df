"""Which of the two ways to hold a TPU a job takes if its file leaves that open: `allocation_mode: auto`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuherd.accelerators import resolve

if TYPE_CHECKING:
    from tpuherd.config.tpu import TpuSection

AUTO = "auto"
NODES = "tpu-vm"
QUEUE = "queued-resources"

QUEUED_GENERATIONS = ("v5p", "v6e")
"""Generations that Google sells through the queue in the first place; a direct request mostly finds none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The plugin that gets the TPUs."""

    provider: str
    """Its key in a job file."""
    reason: str = ""
    """Why `auto` chose it; empty if the job file names it."""


def choose(tpu: TpuSection) -> Choice:
    """Return what `tpu.allocation_mode` names, or for `auto` the better one for what is asked."""
    if tpu.allocation_mode != AUTO:
        return Choice(provider=tpu.allocation_mode)
    reason = _reason_to_queue(tpu)
    if reason:
        return Choice(provider=QUEUE, reason=reason)
    return Choice(provider=NODES, reason="one slice, at once, of a type that is sold without a queue")


def _reason_to_queue(tpu: TpuSection) -> str:
    """The first reason for a queued resource; empty if there is none."""
    queued = next((name for name in tpu.accelerators if resolve(name).generation in QUEUED_GENERATIONS), "")
    reasons = {
        f"{tpu.slices} slices come together or not at all": tpu.slices > 1,
        "reserved capacity is asked for": tpu.reserved or tpu.reservation is not None,
        "tpu.valid_until is there": tpu.valid_until is not None,
        "tpu.wait_for_capacity is there": tpu.wait_for_capacity,
        f"{queued} is sold through the queue": bool(queued),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")
