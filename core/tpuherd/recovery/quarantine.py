"""Workers that were to blame twice: nothing is started on them again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tpuherd.model.failure import FailureClass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd.model.failure import Diagnosis

BLAMABLE = frozenset(
    {
        FailureClass.HOST_FAULT,
        FailureClass.DIRTY_DEVICE,
        FailureClass.NETWORK,
        FailureClass.HUNG,
        FailureClass.UNKNOWN,
    }
)
"""Classes for which the worker may be the cause; a program that is wrong says nothing about its worker."""

TWICE = 2


def quarantined(diagnoses: Iterable[Diagnosis]) -> frozenset[str]:
    """The hosts (`Scene.host`) that were blamed at least twice."""
    blamed = Counter(one.scene.host for one in diagnoses if one.scene.host and one.failure in BLAMABLE)
    return frozenset(host for host, times in blamed.items() if times >= TWICE)
