"""Whole jobs in processes of their own, on an emulated cloud of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from herd_fixture import herd

if TYPE_CHECKING:
    from herd import Herd

__all__ = ["herd"]


@pytest.fixture
def cloud(herd: Herd) -> Herd:
    """The same with an emulated cloud that stays, so that what a job leaves on it can be seen."""
    herd.ok("cloud.up")
    return herd
