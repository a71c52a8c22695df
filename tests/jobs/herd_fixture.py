"""The fixture `herd`, for the conftest.py of every folder whose tests have jobs of their own."""

from __future__ import annotations

import pytest
from herd import Herd


@pytest.fixture
def herd(tmp_path):
    """A home of its own; nothing of it is left after the test, not even after a failed one."""
    made = Herd(tmp_path)
    yield made
    made.close()
    made.nothing_left()
