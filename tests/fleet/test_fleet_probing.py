"""Asking the workers of real (emulated) slices whether something runs on them."""

from __future__ import annotations

import pytest
from clouded import ZONE, clouded

from .fleet_home import FleetHome

pytestmark = pytest.mark.slow


@pytest.fixture
def served(tmp_path):
    """A cloud whose workers answer over SSH."""
    with clouded(tmp_path) as cloud:
        yield FleetHome(tmp_path, cloud)


def test_what_runs_is_found_by_asking_and_whoever_does_not_answer_does_not_count(served):
    served.ok("tpus.create", "v5e-1", "--zone", ZONE, "--name", "idle")
    served.ok("tpus.find", "idle", "--probe")
    home = next(served.cloud.directory.glob("workers/*idle-w0/home"))
    assert list((home / ".tpuherd" / "agent").glob("*.py"))
    with served.control() as control:
        control.fault("unreachable-worker", node="idle")
    done = served.ends_with(14, "tpus.find", "idle", "--probe")
    assert f"idle@{ZONE}: cannot be asked" in done.stderr
    served.ok("tpus.find", "idle")
