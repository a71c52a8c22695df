"""One user's tpuherd and an emulated cloud of its own for every test; `herd` lives with the tests of jobs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.append(str(Path(__file__).parents[1] / "jobs"))

from gc_home import GcHome

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def home(tmp_path: Path) -> Iterator[GcHome]:
    made = GcHome(tmp_path)
    made.ok("cloud.up")
    yield made
    made.close()
    made.nothing_left()
