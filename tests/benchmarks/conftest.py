"""The benchmarks are scripts beside one another, as `python benchmarks/…` sees them."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

sys.path.insert(0, str(BENCHMARKS))


@pytest.fixture
def short():
    """A folder with a name so short that there is room for sockets in it."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="bm-") as name:
        yield Path(name)
