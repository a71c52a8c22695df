"""One emulated cloud per module, and a store of its own for every test."""

from __future__ import annotations

import pytest
from clouded import cloud
from machines import Machines

from tpuherd.store.store import open_store

__all__ = ["cloud"]


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("TPUHERD_DATABASE", f"sqlite:///{tmp_path / 'team.sqlite'}")
    made = open_store()
    yield made
    made.engine.dispose()


@pytest.fixture
def machines(cloud, store):
    """Somebody's TPUs in the emulated cloud, and jobs that use them."""
    made = Machines(cloud, store)
    yield made
    made.close()
