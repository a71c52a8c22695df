"""How long the control plane has to learn of what happened, before a failure is diagnosed."""

from __future__ import annotations

import pytest
from seen import ended, workload

from tpuherd.model.outcome import ExitKind
from tpuherd.observing.gathering import SETTLE_S, unsettled_s

LOST, EXITED = ExitKind.LOST, ExitKind.EXITED


@pytest.mark.parametrize(
    ("ends", "left_s"),
    [
        ([ended(1, LOST, at=100.0)], SETTLE_S),  # its agent has just gone
        ([ended(1, LOST, at=99.0)], SETTLE_S - 1),
        ([ended(1, LOST, at=90.0)], 0.0),  # its silence was borne: that was time enough
        ([ended(1, LOST, at=199.0, ahead_s=100.0)], SETTLE_S - 1),  # by a clock that is ahead
        ([ended(1, LOST, at=90.0), ended(2, LOST, at=99.5)], SETTLE_S - 0.5),
        ([ended(1, EXITED, at=100.0)], 0.0),
        ([ended(1, LOST, at=900.0)], SETTLE_S),  # the clock here was set back
    ],
)
def test_it_counts_from_when_a_lost_worker_was_heard(ends, left_s):
    assert unsettled_s(workload(*ends), now=100.0) == pytest.approx(left_s)


def test_without_a_workload_there_is_nothing_to_wait_for():
    assert unsettled_s(None, now=100.0) == 0.0
