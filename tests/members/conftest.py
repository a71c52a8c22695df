"""Fleets in processes of their own, on an emulated cloud of their own; and fleets that are only rows."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "jobs"))  # `herd` lives there
sys.path.append(str(Path(__file__).parents[1] / "activations"))  # `extracting` lives there
sys.path.append(str(Path(__file__).parents[1] / "store"))  # `store_records` lives there

import pytest
from herd import Herd

from tpuherd.store.store import Store


@pytest.fixture
def herd(tmp_path):
    """A home of its own; nothing of it is left after the test, not even after a failed one."""
    made = Herd(tmp_path)
    yield made
    made.close()
    made.nothing_left()


@pytest.fixture
def store(tmp_path):
    made = Store(f"sqlite:///{tmp_path / 'rows' / 'tpuherd.sqlite'}")
    yield made
    made.engine.dispose()
