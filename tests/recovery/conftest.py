"""Whole jobs with a home of their own, and cases for policies."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "jobs"))  # `herd` and `crashing` live there

import pytest
from herd_fixture import herd

__all__ = ["herd"]


@pytest.fixture
def cloud(herd):
    """The same with an emulated cloud that stays, so that what a job leaves on it can be seen."""
    herd.ok("cloud.up", "--create-s", "0", "--delete-s", "0")
    return herd
