"""The fixture `store`, for the conftest.py of every folder whose tests have jobs that are only rows."""

from __future__ import annotations

import pytest

from tpuherd.store.store import Store


@pytest.fixture
def store(tmp_path):
    """A new store; its connections are closed after the test."""
    made = Store(f"sqlite:///{tmp_path / 'home' / 'tpuherd.sqlite'}")
    yield made
    made.engine.dispose()
