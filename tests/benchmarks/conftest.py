"""The benchmarks are scripts beside one another, as `python benchmarks/…` sees them."""

from __future__ import annotations

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

sys.path.insert(0, str(BENCHMARKS))
