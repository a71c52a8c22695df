"""Whole jobs in processes of their own, on an emulated cloud of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from herd import Herd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def herd(tmp_path: Path) -> Iterator[Herd]:
    """A home of its own; nothing of it is left after the test, not even after a failed one."""
    made = Herd(tmp_path)
    yield made
    made.close()
    made.nothing_left()


@pytest.fixture
def cloud(herd: Herd) -> Herd:
    """The same with an emulated cloud that stays, so that what a job leaves on it can be seen."""
    herd.ok("cloud.up")
    return herd
