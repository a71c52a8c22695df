"""Pauses between failures that come one after the other."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuherd.config.recovery import BackoffSection


def pause_s(terms: BackoffSection, repeats: int, seed: str) -> float:
    """How long to wait, in seconds; the same for the same arguments.

    Args:
        terms: the section of the job file.
        repeats: how many failures there were before this one; 0: the first is acted on at once.
        seed: what makes the jitter differ between jobs, for example job and attempt.
    """
    if repeats <= 0 or not terms.first_s:
        return 0.0
    grown = min(terms.first_s * terms.factor ** min(repeats - 1, 64), terms.longest_s)
    chance = random.Random(f"{seed}/{repeats}").uniform(-terms.jitter, terms.jitter)  # noqa: S311 - no secret
    return round(grown * (1 + chance), 3)
