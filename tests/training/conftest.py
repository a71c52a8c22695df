"""Whole jobs with a home of their own; `herd` lives with the tests of jobs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.append(str(Path(__file__).parents[1] / "jobs"))

import pytest
from herd import Herd

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[Herd]:
    """A home with an emulated cloud that stays until the end of the test."""
    made = Herd(tmp_path)
    made.ok("cloud.up", "--create-s", "0", "--delete-s", "0")
    yield made
    made.close()
    made.nothing_left()
