"""A store of its own for every test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tpuherd.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'home' / 'tpuherd.sqlite'}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    made = Store(url)
    yield made
    made.engine.dispose()
