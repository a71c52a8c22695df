"""One emulated cloud per module, slices that its jobs share, and a home of tpuherd for snapshots."""

from __future__ import annotations

import pytest
from clouded import cloud, held
from syncing import sync, tree
from trees import make_repository

__all__ = ["cloud", "held", "sync", "tree"]


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv("TPUHERD_HOME", str(tmp_path / "tpuherd-home"))


@pytest.fixture
def repository(tmp_path):
    return make_repository(tmp_path / "repository")
