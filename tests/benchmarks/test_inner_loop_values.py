"""What the inner-loop benchmark makes of its samples."""

from __future__ import annotations

import pytest
from inner_loop_values import Key, Sample, Samples, quantile, ratio, summary


def test_quantiles_lie_between_the_nearest_values():
    assert quantile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.5
    assert quantile([1.0, 2.0], 0.1) == pytest.approx(1.1)
    assert quantile([7.0], 0.9) == 7.0


def test_a_summary_has_extremes_and_quantiles_or_says_that_there_is_nothing():
    found = summary([float(number) for number in range(11)])
    assert found == {"median": 5.0, "p10": 1.0, "p90": 9.0, "min": 0.0, "max": 10.0}
    assert summary([]) is None


def test_a_ratio_compares_round_by_round():
    """The second round was slow for both: the ratio is that of the rounds, not of the sums."""
    assert ratio([2.0, 20.0, 2.0], [1.0, 10.0, 1.0]) == 2.0
    assert ratio([None, None], [1.0, 1.0]) is None
    assert ratio([], [1.0]) is None
    assert ratio([3.0, 9.0], [1.0]) == 3.0


def test_one_after_the_other_takes_both_times():
    both = Sample(wall_s=1.0, cpu_s=0.5) + Sample(wall_s=2.0, cpu_s=0.25)
    assert both == Sample(wall_s=3.0, cpu_s=0.75)
    assert (both + Sample(wall_s=1.0)).cpu_s is None


@pytest.fixture
def samples():
    """Two rounds: gcloud has no kept connections, git has both kinds."""
    made = Samples()
    for slow in (1.0, 2.0):
        for connections, wall_s in (("warm", 0.1), ("cold", 0.5)):
            made.add(Key("noop", "tpuherd", 8, connections), Sample(wall_s=wall_s * slow, cpu_s=0.1))
            made.add(Key("noop", "git", 8, connections), Sample(wall_s=0.3 * slow))
        made.add(Key("noop", "gcloud", 8), Sample(wall_s=1.0 * slow, cpu_s=0.6))
        made.add(Key("noop", "gcloud", 16), Sample(wall_s=9.0))
    return made


def test_others_are_compared_with_ours_of_the_same_kind(samples):
    found = {(row["who"], row["connections"]): (row["wall"], row["cpu"]) for row in samples.ratios()}
    assert found == {
        ("gcloud", "warm"): (10.0, 6.0),
        ("gcloud", "cold"): (2.0, 6.0),
        ("git", "warm"): (3.0, None),
        ("git", "cold"): (0.6, None),
    }


def test_each_series_is_one_row(samples):
    rows = samples.rows()
    assert len(rows) == 6
    assert rows[0]["work"] == "noop"
    assert rows[0]["who"] == "tpuherd"
    assert rows[0]["runs"] == 2
    assert rows[0]["wall_s"]["max"] == 0.2
    assert rows[0]["cpu_s"]["median"] == 0.1
