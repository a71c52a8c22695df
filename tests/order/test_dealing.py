"""What stays together, and what begins first."""

from __future__ import annotations

import pytest
from dealing import in_order, seconds_of, unit


@pytest.mark.parametrize(
    "file",
    [
        "tests/jobs/test_exec.py",  # a fixture of its own
        "tests/fleet/test_fleet_lost.py",  # one of the conftest.py beside it
        "tests/provision/test_planning.py",  # one that it imports
    ],
)
def test_tests_that_share_something_stay_together(file):
    assert unit(f"{file}::test_it[a-b]") == unit(f"{file}::test_other") == file


@pytest.mark.parametrize("file", ["tests/jobs/test_chain.py", "tests/chaos/test_chaos_seeds.py"])
def test_others_are_dealt_out_one_by_one(file):
    assert unit(f"{file}::test_it[7]") == f"{file}::test_it[7]"


def test_what_takes_longest_begins_first(request):
    """With the very items of this run."""
    ours = [item for item in request.session.items if item.path == request.path]
    assert [seconds_of(item) for item in ours] == [0.0] * len(ours)
    assert in_order(ours) == ours
    request.node.add_marker(pytest.mark.slow)
    assert seconds_of(request.node) > 0
    request.node.add_marker(pytest.mark.slow(90), append=False)
    assert seconds_of(request.node) == 90
    assert in_order(ours)[0] is request.node
    assert set(in_order(ours)) == set(ours)
