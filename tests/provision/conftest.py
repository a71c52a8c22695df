"""One emulated cloud per module."""

from __future__ import annotations

import pytest
from clouded import cloud, clouded

__all__ = ["cloud", "slow_cloud"]


@pytest.fixture
def slow_cloud(tmp_path):
    """Everything takes long enough to look at it while it happens."""
    with clouded(tmp_path, create_s=1.5, delete_s=1.0, queue_s=0.5) as made:
        yield made
