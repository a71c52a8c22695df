"""Whole jobs with a home of their own; `herd` lives with the tests of jobs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "jobs"))

from herd import Herd


@pytest.fixture
def cloud(tmp_path):
    """A home with an emulated cloud that stays until the end of the test."""
    made = Herd(tmp_path)
    made.ok("cloud.up", "--create-s", "0", "--delete-s", "0")
    yield made
    made.close()
    made.nothing_left()
