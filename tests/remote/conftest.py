"""sshd processes for the tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from farm import make_farm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from farm import Farm


@pytest.fixture(scope="session")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    """Eight sshds for tests that leave them as they are."""
    yield from make_farm(tmp_path_factory.mktemp("farm"), 8)


@pytest.fixture
def fragile_farm(tmp_path: Path) -> Iterator[Farm]:
    """Three sshds for tests that break them."""
    yield from make_farm(tmp_path, 3)
