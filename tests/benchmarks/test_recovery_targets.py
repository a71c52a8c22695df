"""What the benchmark of recoveries makes of its figures."""

from __future__ import annotations

import pytest
from recovery_cloud import covered_s
from recovery_targets import MISSED, REACHED, TARGETS, UNKNOWN, judged, ratios, table


def times(median, worst):
    return {"median": median, "max": worst}


def test_the_worst_of_all_faults_decides():
    report = {
        "measured": {
            "notice": {"acted_s": times(0.1, 2.0), "again_s": times(1.0, 10.1), "own_s": times(1.0, 2.9)},
            "lost": {"noticed_s": times(4.9, 5.01), "again_s": times(7.0, 8.0), "own_s": times(1.0, 3.0)},
        }
    }
    found = {row["what"]: (row["state"], row["worst"]) for row in judged(report)}
    assert found["notice until SIGTERM at every process"] == (REACHED, 2.0)
    assert found["notice until the work runs again"] == (MISSED, 10.1)
    assert found["loss without notice until it is known"] == (MISSED, 5.01)
    assert found["own share, after a loss is known"] == (REACHED, 3.0)
    assert found["death of one process until all have ended"] == (UNKNOWN, None)
    assert len(found) == len(TARGETS)


def test_the_table_has_a_line_for_each_target():
    lines = table(judged({"measured": {"silence": {"noticed_s": times(9.1, 10.5)}}})).splitlines()
    assert len(lines) == 1 + len(TARGETS)
    (missed,) = [line for line in lines if line.startswith(MISSED)]
    assert "silence of a worker" in missed
    assert missed.split()[-2:] == ["9.10", "10.50"]


def test_peers_are_compared_where_they_did_the_same_work():
    measured = {"preempted": {"again_s": times(4.04, 5.0)}, "process": {"again_s": times(1.0, 1.0)}}
    assert ratios(measured, "tpu-vm") == {"preempted": {"jobman": 20.0}}
    assert ratios(measured, "queued-resources") == {"preempted": {"jobman": 20.1}}


@pytest.mark.parametrize(
    ("spans", "covered"),
    [
        ([], 0.0),
        ([(1.0, 3.0), (5.0, 6.0)], 3.0),
        ([(1.0, 3.0), (2.0, 4.0), (2.5, 3.5)], 3.0),
        ([(5.0, 6.0), (1.0, 9.0)], 8.0),
    ],
)
def test_what_the_cloud_did_at_the_same_time_counts_once(spans, covered):
    assert covered_s(spans) == covered
