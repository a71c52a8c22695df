"""Fleets in processes of their own, on an emulated cloud of their own; and fleets that are only rows."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "jobs"))  # `herd` lives there
sys.path.append(str(Path(__file__).parents[1] / "activations"))  # `extracting` lives there
sys.path.append(str(Path(__file__).parents[1] / "store"))  # `store_records` lives there

from herd_fixture import herd
from store_fixture import store

__all__ = ["herd", "store"]
