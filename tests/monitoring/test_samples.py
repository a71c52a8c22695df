"""Rates and times to the end, from samples of steps."""

from __future__ import annotations

import pytest

from tpuherd.model.sighting import Progress
from tpuherd.monitoring.samples import Sample, eta_s, rate_per_s, sample


def at(*points, total=None):
    return [Sample(at=moment, step=step, total=total) for moment, step in points]


def test_the_workers_together_are_as_far_as_the_last_of_them():
    reports = [Progress(step=7, total=9, checkpoint_step=4), None, Progress(step=5, checkpoint_step=5)]
    assert sample(reports, 3.0) == Sample(at=3.0, step=5, total=9, checkpoint_step=5)
    assert sample([Progress(checkpoint_step=2)], 3.0) == Sample(at=3.0, checkpoint_step=2)
    assert sample([None, Progress()], 3.0) is None
    assert sample([], 3.0) is None


@pytest.mark.parametrize(
    ("points", "rate"),
    [
        ([], None),
        ([(0, 1)], None),
        ([(0, 0), (10, 5)], 0.5),
        ([(0, 0), (10, 100), (20, 0), (30, 10)], 1.0),  # it was restored in between
        ([(0, 0), (1000, 10_000), (1100, 10_100)], 1.0),  # only the last ten minutes count
        ([(0, 0), (3600, 1)], 1 / 3600),  # unless there is only one step in them
        ([(5, 0), (5, 9)], None),  # a clock that stood still
        ([(0, 9), (10, 1)], None),
    ],
)
def test_the_rate_is_that_of_late(points, rate):
    found = rate_per_s(at(*points))
    assert found == (None if rate is None else pytest.approx(rate))


def test_the_time_to_the_end():
    points = at((0, 0), (10, 20), total=100)
    assert eta_s(points, now=10.0) == pytest.approx(40.0)
    assert eta_s(points, now=25.0) == pytest.approx(25.0)
    assert eta_s(points, now=1000.0) == 0.0
    assert eta_s(at((0, 0), (10, 20)), now=10.0) is None
    assert eta_s(points[:1], now=10.0) is None
    assert eta_s(at((0, 5), (10, 5), total=100), now=10.0) is None
