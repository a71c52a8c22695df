"""How often a zone has lost slices."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from tpuherd.recovery.zones import LOST

if TYPE_CHECKING:
    from tpuherd.recovery.case import Case


def losses_here(case: Case) -> int:
    """How many slices were lost in the present zone since the job came there, the present one included."""
    newest_first = reversed(case.diagnoses)
    here = takewhile(lambda one: one.scene.zone == case.diagnosis.scene.zone, newest_first)
    return sum(one.failure in LOST for one in here)
